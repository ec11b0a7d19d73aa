/// What the calls of a chain take by themselves: async calls through a protocol and the links between them, with a request
/// and a response of one reference each.
public enum AsyncCallScenarios {
    /// No stage, twelve that hand on what they get, and twelve that leave it to a closure.
    public static func all() -> [Scenario] {
        [
            calls([], named: "async.0"),
            calls(Array(repeating: Stage(), count: 12), named: "async.12"),
            calls((0..<12).map { _ in ClosureStage { try await $1($0) } }, named: "async.12.closure"),
        ]
    }

    private static func calls(_ stages: [any Callee], named name: String) -> Scenario {
        let end = Rest(Link(End(), Rest(NoLink())))
        let first = stages.reversed().reduce(end) { Rest(Link($1, $0)) }
        let message = Message()
        return Scenario(name: name) { count in
            for _ in 0..<count { _ = try await first(message) }
        }
    }

    private final class Message: Sendable {}

    private protocol Callee: Sendable {
        nonisolated(nonsending) func call(_ message: consuming Message, _ rest: Rest) async throws -> Message
    }

    private struct Rest: Sendable {
        private let link: any AnyObject & Sendable

        init(_ link: any AnyObject & Sendable) { self.link = link }

        @inline(__always)
        nonisolated(nonsending) func callAsFunction(_ message: consuming Message) async throws -> Message {
            let link = unsafeDowncast(link, to: Link.self)
            return try await link.callee.call(message, link.rest)
        }
    }

    private final class Link: Sendable {
        let callee: any Callee
        let rest: Rest

        init(_ callee: any Callee, _ rest: Rest) {
            self.callee = callee
            self.rest = rest
        }
    }

    private final class NoLink: Sendable {}

    private struct Stage: Callee {
        nonisolated(nonsending) func call(_ message: consuming Message, _ rest: Rest) async throws -> Message {
            try await rest(message)
        }
    }

    private struct ClosureStage: Callee {
        let closure: @Sendable (Message, Rest) async throws -> Message

        nonisolated(nonsending) func call(_ message: consuming Message, _ rest: Rest) async throws -> Message {
            try await closure(message, rest)
        }
    }

    private struct End: Callee {
        nonisolated(nonsending) func call(_ message: consuming Message, _ rest: Rest) async throws -> Message {
            message
        }
    }
}
