import HTTPChainCore
import HTTPTypes

/// The origin of requests, of which most go to the same, and what a stage has noted about it: comparing two texts costs
/// less than reading them.
final class LastOrigin<Note: Sendable>: Sendable {
    private struct Seen {
        let scheme: String
        let authority: String
        let origin: Origin
        let note: Note
    }

    private let last = Locked<Seen?>(nil)
    private let note: @Sendable (Origin) -> Note

    /// - Parameter note: What is to be known of an origin; asked again when another was seen meanwhile.
    init(note: @escaping @Sendable (Origin) -> Note) {
        self.note = note
    }

    func look(at request: borrowing Request) -> (origin: Origin, note: Note)? {
        guard let scheme = request.head.scheme, let authority = request.head.authority else { return nil }
        return last.withLock { last in
            if let last, last.authority == authority, last.scheme == scheme { return (last.origin, last.note) }
            guard let origin = Origin(scheme: scheme, authority: authority) else { return nil }
            let note = note(origin)
            last = Seen(scheme: scheme, authority: authority, origin: origin, note: note)
            return (origin, note)
        }
    }
}
