#if AllTests
import Foundation
import HTTPChain
import HTTPChainHAR
import HTTPChainHARTesting
import HTTPChainInMemory
import TestSupport
import Testing

@Suite("The trait .replay", .timeLimit(.minutes(10)))
struct TraitTests {
    struct User: Codable, Equatable {
        var id: Int
        var name: String
    }

    @Test("A test replays the archive beside its source file", .replay("Resources/users.har", mode: ReplayMode.none))
    func users() async throws {
        let chain = try Chain.standard(base: "https://api.example.com", over: ReplayTransport.current)
        #expect(
            try await chain.send(.get("users"), as: [User].self) == [
                User(id: 1, name: "Ada"), User(id: 2, name: "Grace"),
            ]
        )
        let added = try await chain.send(.post("users", body: .value(User(id: 3, name: "Mary"))), as: User.self)
        #expect(added == User(id: 3, name: "Mary"))
    }

    @Test("Without the trait there is no replay, and the error says what to do")
    func without() throws {
        let error = #expect(throws: NoReplayError.self) { try ReplayTransport.current }
        #expect(error?.recoverySuggestion?.contains(".replay") == true)
    }

    @Test("An entry that was not asked for makes the test fail, and what was recorded is written at its end")
    func ending() async throws {
        let scratch = try ScratchDirectory.created()
        let source = scratch.file("Test.swift").path
        func run(_ mode: ReplayMode, _ body: @Sendable () async throws -> Void) async throws {
            let trait = ReplayTrait.replay(
                "new.har",
                mode: mode,
                over: { InMemoryTransport { _ in Response(.ok, body: "recorded") } },
                source: source
            )
            let test = try #require(Test.current)
            try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
        }
        try await run(.once) {
            let text = try await ReplayTransport.current.text(.get("https://a.example/"))
            #expect(text == "recorded")
        }
        try await run(.none) {
            let text = try await ReplayTransport.current.text(.get("https://a.example/"))
            #expect(text == "recorded")
        }
        await #expect(throws: UnusedEntriesError.self) { try await run(.none) {} }
    }
}
#endif
