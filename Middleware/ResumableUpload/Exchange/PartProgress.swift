import HTTPChainCore

/// Reports the progress of parts as progress of the whole upload.
///
/// Observers count each byte once, in a single attempt.
final class PartProgress: Sendable {
    private let report: @Sendable (_ sent: Int64, _ expected: Int64?) -> Void
    private let length: Int64
    /// The reported progress.
    ///
    /// Repeated parts aren't included.
    private let furthest = Locked<Int64>(0)

    /// - Returns: `nil` if the request has no observers.
    init?(_ request: Request, length: Int64) {
        guard let report = request.beginUploadReport() else { return nil }
        self.report = report
        self.length = length
    }

    /// Follows the transport's reports for a request that sends the content from an offset.
    func follow(_ request: inout Request, from offset: Int64) {
        request.options[UploadProgressNote.self] = { [self] sent, _ in advance(to: offset + sent) }
    }

    /// Reports the number of bytes that the server has received.
    func advance(to total: Int64) {
        let isNew = furthest.withLock { furthest in
            guard total > furthest, total <= length else { return false }
            furthest = total
            return true
        }
        if isNew { report(total, length) }
    }
}
