import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

/// An error whose cause is another of these, up to a length; the last one has no cause.
private struct Linked: HTTPChainError {
    var length: Int
    var stage: String { "test" }
    var reason: String { "link \(length)" }
    var underlyingError: (any Error)? { length > 1 ? Linked(length: length - 1) : nil }
}

/// An error that is its own cause.
private final class Looping: HTTPChainError {
    var stage: String { "test" }
    var reason: String { "it loops" }
    var underlyingError: (any Error)? { self }
}

@Suite("Causes of errors")
struct ErrorCausesTests {
    private static let endless: [any HTTPChainError] = [Looping(), Linked(length: 100_000)]

    @Test("An error's causes end, whether it is its own cause or one of very many", arguments: 0..<2)
    func bounded(index: Int) {
        let error = Self.endless[index]
        #expect(error.causes.count == 32)
        #expect(error.attempts == nil)
        #expect(error.isBeforeSending == false)
        #expect(TransportError.behind(error, stage: "test", exchange: nil) == nil)
    }

    @Test("A description has a limited number of causes, and says that there are more", arguments: 0..<2)
    func description(index: Int) {
        let error = Self.endless[index]
        for text in [error.description, error.localizedDescription] {
            let causes = text.pieces(at: "\n").filter { $0.contains("caused by: ") }.count
            #expect(causes > 5 && causes <= 33)
            #expect(text.contains("…"))
        }
        #expect(error.customMirror.children.count == 5)
    }

    @Test("A description has all causes of an ordinary error")
    func ordinary() {
        let text = Linked(length: 20).description
        #expect(text.contains("link 1") && text.contains("link 20"))
        #expect(!text.contains("…"))
    }

    @Test("Attempts are found behind errors that don't have them, up to the first that has a response")
    func attempts() {
        var noted = TransportError(.connectionLost, sent: .maybe, stage: "test")
        noted.notes[Tries.self] = Tries()
        #expect(Outer(cause: Outer(cause: noted)).attempts == 4)
        #expect(Outer(cause: Rejected(cause: noted)).attempts == 1)
    }
}

private struct Tries: ErrorNote, AttemptCounting, CustomStringConvertible {
    typealias Value = Self
    let attemptCount = 4
    let description = "four"
}

private struct Outer: HTTPChainError {
    let cause: any Error
    var stage: String { "test" }
    var reason: String { "it failed" }
    var underlyingError: (any Error)? { cause }
}

private struct Rejected: ResponseError {
    var response = Response(head: .init(status: .notFound))
    let cause: any Error
    var stage: String { "test" }
    var reason: String { "it was rejected" }
    var underlyingError: (any Error)? { cause }

    init(cause: any Error) { self.cause = cause }
}
