import HTTPChainCore
import HTTPTypes

/// Which origins take no compressed requests: they have said 415 to one, and taken it as it was.
final class CompressionRefusals: Sendable {
    /// Beyond it the one that is known for longest is forgotten, and asked once more.
    private static let limit = 256

    private let origins = Locked<[Origin]>([])

    func contains(_ origin: Origin?) -> Bool {
        guard let origin else { return false }
        return origins.withLock { $0.contains(origin) }
    }

    func insert(_ origin: Origin?) {
        guard let origin else { return }
        origins.withLock { origins in
            guard !origins.contains(origin) else { return }
            if origins.count == Self.limit { origins.removeFirst() }
            origins.append(origin)
        }
    }

    /// Whether a response may have refused the coding of the request, RFC 9110 §15.5.16 with §12.5.3: a server that
    /// names the codings it takes, gzip among them, has refused something else.
    static func mayRefuseCoding(_ head: HTTPResponse) -> Bool {
        guard head.status.code == 415 else { return false }
        guard let accepted = head.headerFields[.acceptEncoding] else { return true }
        return !accepted.split(separator: ",").contains { member in
            let field = ParameterizedValue(member.utf8)
            let isRefused = field.parameter("q").map { Double(String(decoding: $0, as: UTF8.self)) == 0 } ?? false
            return ["gzip", "x-gzip", "*"].contains(field.value) && !isRefused
        }
    }
}
