import HTTPChainCore

/// Reports what is sent of each part as what is sent of the whole, so that whoever follows the upload sees each of its
/// bytes once, in one attempt.
final class PartProgress: Sendable {
    private let report: @Sendable (_ sent: Int64, _ expected: Int64?) -> Void
    private let length: Int64
    /// What was reported: parts that are sent again are not.
    private let furthest = Locked<Int64>(0)

    /// - Returns: nil when nobody follows the request.
    init?(_ request: Request, length: Int64) {
        guard let report = request.beginUploadReport() else { return nil }
        self.report = report
        self.length = length
    }

    /// Has the transport report a request that sends the content from an offset on.
    func follow(_ request: inout Request, from offset: Int64) {
        request.options[UploadProgress.self] = { [self] sent, _ in advance(to: offset + sent) }
    }

    /// Reports that the server has so many bytes.
    func advance(to total: Int64) {
        let isNew = furthest.withLock { furthest in
            guard total > furthest, total <= length else { return false }
            furthest = total
            return true
        }
        if isNew { report(total, length) }
    }
}
