package import HTTPChainCore

/// A stage that logs exchanges.
package protocol ExchangeLoggingMiddleware: BuiltInStage {
    /// The name in the stage's summary.
    static var name: String { get }
    /// The journal that writes the records.
    var journal: ExchangeJournal { get }
}

extension ExchangeLoggingMiddleware {
    /// ``/HTTPChainCore/Phase/call`` for calls, ``/HTTPChainCore/Phase/wire`` for attempts.
    package var stagePhase: Phase { journal.unit == .call ? .call : .wire }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [LoggingOption.self] }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        StageSummary(Self.name, purpose: "logs exchanges", settings: journal.settings)
    }

    /// Returns a warning if the stage is configured for more detail than the formatter shows.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] { journal.problems(of: Self.name) }

    /// Passes the request on, and logs the result.
    ///
    /// - Throws: Errors from the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if journal.isSilent(for: request) { return try await next(request) }
        return try await journal.follow(request, next)
    }
}
