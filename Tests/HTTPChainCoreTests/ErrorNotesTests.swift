import Foundation
import HTTPChainCore
import Testing

private enum Attempts: ErrorNote {
    typealias Value = Int
}

private enum Remark: ErrorNote {
    typealias Value = String
}

@Suite("Notes on errors")
struct ErrorNotesTests {
    private let error = TransportError(
        .connectionLost,
        sent: .maybe,
        stage: "test",
        underlyingError: CancellationError()
    )

    @Test("An error has no notes until a stage adds one, and each has its own place")
    func places() {
        var error = error
        #expect(error.notes.isEmpty)
        #expect(error.notes[Attempts.self] == nil)
        error.notes[Attempts.self] = 3
        error.notes[Remark.self] = "flaky"
        #expect(error.notes[Attempts.self] == 3)
        #expect(error.notes[Remark.self] == "flaky")
        error.notes[Attempts.self] = nil
        #expect(error.notes[Attempts.self] == nil)
        #expect(!error.notes.isEmpty)
    }

    @Test("The description tells the notes below the rest, each on lines of its own")
    func description() {
        var error = error
        let plain = error.description
        error.notes[Attempts.self] = 3
        error.notes[Remark.self] = "two\nlines"
        #expect(error.description == plain + "\n  3\n  two\n  lines")
        #expect(error.localizedDescription == error.description)
        #expect((error as any HTTPChainError).description == error.description)
    }

    @Test("A note that counts attempts is found without knowing it")
    func attemptCount() {
        var error = error
        error.notes[Remark.self] = "flaky"
        #expect(error.notes.attemptCount == nil)
        error.notes[Tries.self] = Tries.Count()
        #expect(error.notes.attemptCount == 5)
    }

    private enum Tries: ErrorNote {
        struct Count: AttemptCounting, CustomStringConvertible {
            let attemptCount = 5
            let description = "five"
        }
        typealias Value = Count
    }

    @Test("A note is added without knowing the error's type, and does not change it")
    func anyError() throws {
        var annotated = try #require(error as (any Error) as? any AnnotatedError)
        annotated.notes[Attempts.self] = 2
        let thrown = try #require(annotated as (any Error) as? TransportError)
        #expect(thrown.kind == .connectionLost)
        #expect(thrown.notes[Attempts.self] == 2)
    }
}
