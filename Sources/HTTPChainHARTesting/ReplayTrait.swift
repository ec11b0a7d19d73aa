import Foundation
public import HTTPChainCore
public import HTTPChainHAR
public import Testing

/// Replays an archive in a test, or in each test of a suite.
///
/// ```swift
/// @Test("Users are listed", .replay("users.har"))
/// func users() async throws {
///     let chain = try Chain.standard(base: "https://api.example.com", over: ReplayTransport.current)
///     let users = try await chain.send(.get("users"), as: [User].self)
///     #expect(users.count == 3)
/// }
/// ```
///
/// The file lies beside the test's source file. It is replayed with no network, unless the trait or the environment
/// variable `HTTPCHAIN_REPLAY` names another mode (`once`, `new`, `all`, `update`): then a transport to record over is
/// needed. When the test has ended, entries that were not asked for make it fail, and what was recorded is written.
public struct ReplayTrait: TestTrait, SuiteTrait, TestScoping {
    let name: String
    let mode: ReplayMode
    let settings: ReplaySettings
    let transport: (@Sendable () -> any Transport)?
    let folder: URL

    /// The environment variable that names the mode.
    public static let variable = "HTTPCHAIN_REPLAY"

    /// A suite gives it to its tests: each has a replay of its own.
    public var isRecursive: Bool { true }

    /// Each case of a test has a replay of its own.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> ReplayTrait? {
        testCase == nil ? nil : self
    }

    /// Runs a test with the replay, and ends the replay.
    ///
    /// - Throws: What the test throws; `HARError` when the file cannot be read; `UnusedEntriesError`.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let replay = try await ReplayTransport(
            file: folder.appendingPathComponent(name),
            mode: mode,
            over: transport?(),
            settings: settings
        )
        try await CurrentReplay.$transport.withValue(replay, operation: function)
        try await replay.finish()
    }
}

extension Trait where Self == ReplayTrait {
    /// Replays an archive; `ReplayTransport.current` is the transport.
    ///
    /// - Parameters:
    ///   - file: The archive, by its path from the folder of the source file: `"users.har"`, `"Archives/users.har"`.
    ///   - mode: When the network is asked; what the environment variable `HTTPCHAIN_REPLAY` says by default, and never
    ///     without it.
    ///   - settings: How the archive is replayed.
    ///   - transport: Makes the network to record over; none by default.
    ///   - source: The source file of the test.
    public static func replay(
        _ file: String,
        mode: ReplayMode? = nil,
        settings: ReplaySettings = .standard,
        over transport: (@Sendable () -> any Transport)? = nil,
        source: String = #filePath
    ) -> ReplayTrait {
        let environment = ProcessInfo.processInfo.environment[ReplayTrait.variable]
        return ReplayTrait(
            name: file,
            mode: mode ?? environment.flatMap(ReplayMode.init) ?? .none,
            settings: settings,
            transport: transport,
            folder: URL(fileURLWithPath: source).deletingLastPathComponent()
        )
    }
}

enum CurrentReplay {
    @TaskLocal static var transport: ReplayTransport?
}

extension ReplayTransport {
    /// The replay of the test that runs.
    ///
    /// - Throws: ``NoReplayError`` outside a test with the trait `.replay`, and in a detached task.
    public static var current: ReplayTransport {
        get throws {
            guard let transport = CurrentReplay.transport else { throw NoReplayError() }
            return transport
        }
    }
}

/// There is no replay here.
public struct NoReplayError: HTTPChainError, Hashable {
    /// "ReplayTrait".
    public var stage: String { "ReplayTrait" }

    /// The sentence that says what is missing.
    public var reason: String { "no archive is replayed in this task" }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        "give the test the trait .replay(\"file.har\"), and do not detach the task"
    }
}
