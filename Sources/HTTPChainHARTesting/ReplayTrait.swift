import Foundation
public import HTTPChainCore
public import HTTPChainHAR
public import Testing

/// A trait that replays an archive in a test, or in each test of a suite.
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
/// The file is in the folder of the test's source file. It is replayed without a network, unless the trait or the
/// environment variable `HTTPCHAIN_REPLAY` sets another mode (`once`, `new`, `all`, `update`), which requires a
/// transport to record with. At the end of the test, recorded entries are written. If there are unused entries, the
/// test fails.
public struct ReplayTrait: TestTrait, SuiteTrait, TestScoping {
    let name: String
    let mode: ReplayMode
    let settings: ReplaySettings
    let transport: (@Sendable () -> any Transport)?
    let folder: URL

    /// The environment variable for the mode.
    package static let variable = "HTTPCHAIN_REPLAY"

    /// Always `true`: each test of a suite has a separate replay.
    public var isRecursive: Bool { true }

    /// Provides a separate replay for each case of a test.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> ReplayTrait? {
        testCase == nil ? nil : self
    }

    /// Runs a test with the replay, and then finishes the replay.
    ///
    /// - Throws: Any error of the test; `HARError` if the file can't be read; `UnusedEntriesError`.
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
    /// Returns a trait that replays an archive; `ReplayTransport.current` is the transport.
    ///
    /// - Parameters:
    ///   - file: The path of the archive, relative to the folder of the source file: `"users.har"`,
    ///     `"Archives/users.har"`.
    ///   - mode: The replay mode. Defaults to the one in the environment variable `HTTPCHAIN_REPLAY`, or if there is
    ///     none, to replaying without a network.
    ///   - settings: The replay settings.
    ///   - transport: A closure that creates the transport to record with; none by default.
    ///   - source: The source file of the test.
    public static func replay(
        _ file: String,
        mode: ReplayMode? = nil,
        settings: ReplaySettings = ReplaySettings(),
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
    /// The replay of the current test.
    ///
    /// - Throws: An error if there is no test with the trait `.replay`, and in a detached task.
    public static var current: ReplayTransport {
        get throws {
            guard let transport = CurrentReplay.transport else { throw NoReplayError() }
            return transport
        }
    }
}

/// An error for a task without a replay.
package struct NoReplayError: ExplainedError, Hashable {
    package var failedStage: String { "ReplayTrait" }

    package var explanation: Explanation {
        Explanation(
            "no archive is replayed in this task",
            "give the test the trait .replay(\"file.har\"), and do not detach the task"
        )
    }
}
