/// A stage of this package: the members that a chain alone reads of it are package, and public here once for all.
package protocol BuiltInStage: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    /// The stage's place; see ``Middleware/phase``.
    var stagePhase: Phase { get }
    /// The name, purpose and settings; see ``Middleware/summary``.
    var stageSummary: StageSummary { get }
    /// The options that the stage reads; see ``Middleware/optionsRead``. Defaults to none.
    var stageOptions: [any RequestOption.Type] { get }
    /// Whether the stage respects deadlines; see ``DeadlineKeepingMiddleware/keepsDeadlines``. Defaults to `true`.
    var stageKeepsDeadlines: Bool { get }
    /// Returns the problems at a place; see ``ChainAwareMiddleware/problems(at:)``. Returns none by default.
    func stageProblems(at place: ChainPlace) -> [ChainProblem]
    /// Returns the capabilities for outer stages; see ``ChainAwareMiddleware/capabilities(over:)``. Returns the inner
    /// ones by default.
    func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities
}

extension BuiltInStage {
    package var stageOptions: [any RequestOption.Type] { [] }
    package var stageKeepsDeadlines: Bool { true }
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] { [] }
    package func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities { inner }

    /// The stage's place in a chain.
    public var phase: Phase { stagePhase }
    /// The stage's name, purpose and settings.
    public var summary: StageSummary { stageSummary }
    /// The options that the stage reads.
    public var optionsRead: [any RequestOption.Type] { stageOptions }
    /// Whether the stage, as configured, respects deadlines.
    public var keepsDeadlines: Bool { stageKeepsDeadlines }
    /// Returns the problems with the stage's place and settings.
    public func problems(at place: ChainPlace) -> [ChainProblem] { stageProblems(at: place) }
    /// Returns the capabilities available to outer stages.
    public func capabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        stageCapabilities(over: inner)
    }
}
