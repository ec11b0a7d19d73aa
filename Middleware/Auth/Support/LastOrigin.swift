import HTTPChainCore
import HTTPTypes

/// The origin of requests, of which most go to the same: comparing two texts costs less than reading them.
final class LastOrigin: Sendable {
    private struct Seen {
        let scheme: String
        let authority: String
        let origin: Origin
    }

    private let last = Locked<Seen?>(nil)

    func origin(of request: borrowing Request) -> Origin? {
        guard let scheme = request.head.scheme, let authority = request.head.authority else { return nil }
        return last.withLock { last in
            if let last, last.authority == authority, last.scheme == scheme { return last.origin }
            guard let origin = Origin(scheme: scheme, authority: authority) else { return nil }
            last = Seen(scheme: scheme, authority: authority, origin: origin)
            return origin
        }
    }
}
