import HTTPChainCore
import HTTPTypes

/// The origins that don't accept a coding: they responded with 415 to a request with the coding, and accepted it
/// without.
final class CompressionRefusals: Sendable {
    /// The maximum number of entries.
    ///
    /// Beyond it, the oldest is dropped, and its coding is tried again.
    private static let limit = 256

    private struct Refusal: Hashable {
        let origin: Origin
        /// The name of the coding.
        let coding: String
    }

    private let known = Locked<[Refusal]>([])

    func contains(_ origin: Origin?, _ coding: ContentCoding) -> Bool {
        guard let origin else { return false }
        return known.withLock { $0.contains(Refusal(origin: origin, coding: coding.name)) }
    }

    func insert(_ origin: Origin?, _ coding: ContentCoding) {
        guard let origin else { return }
        let refusal = Refusal(origin: origin, coding: coding.name)
        known.withLock { known in
            guard !known.contains(refusal) else { return }
            if known.count == Self.limit { known.removeFirst() }
            known.append(refusal)
        }
    }

    /// Returns whether a response may have refused the request's coding, RFC 9110 §15.5.16 and §12.5.3.
    ///
    /// If the server lists this coding among those it accepts, it has refused something else.
    static func mayRefuse(_ coding: ContentCoding, _ head: HTTPResponse) -> Bool {
        guard head.status.code == 415 else { return false }
        guard let accepted = head.headerFields[.acceptEncoding] else { return true }
        return !accepted.pieces(at: ",").contains { member in
            let field = ParameterizedValue(member.utf8)
            let isRefused = field.parameter("q").map { Double(String(decoding: $0, as: UTF8.self)) == 0 } ?? false
            return (coding.isNamed(field.value) || field.value == "*") && !isRefused
        }
    }
}
