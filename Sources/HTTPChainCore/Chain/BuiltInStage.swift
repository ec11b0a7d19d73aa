/// A stage of this package.
///
/// It implements these package requirements, and the public ones of ``Middleware`` and ``ChainAwareMiddleware`` are
/// derived from them.
package protocol BuiltInStage: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    /// The stage's place in a chain; defaults to ``Phase/anywhere``.
    var stagePhase: Phase { get }
    /// The stage's name, purpose and settings.
    var stageSummary: StageSummary { get }
    /// The options of a request that the stage reads; none by default.
    var stageOptions: [any RequestOption.Type] { get }
    /// Whether the stage, as configured, respects deadlines; `true` by default.
    var stageKeepsDeadlines: Bool { get }

    /// Returns the problems of this stage at its place in a chain; none by default.
    func stageProblems(at place: ChainPlace) -> [ChainProblem]
    /// Returns the capabilities available to outer stages; the inner ones, unchanged, by default.
    func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities
}

extension BuiltInStage {
    package var stagePhase: Phase { .anywhere }
    package var stageOptions: [any RequestOption.Type] { [] }
    package var stageKeepsDeadlines: Bool { true }
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] { [] }
    package func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities { inner }

    /// The stage's place in a chain.
    public var phase: Phase { stagePhase }
    /// The stage's name, purpose and settings.
    public var summary: StageSummary { stageSummary }
    /// The options of a request that the stage reads.
    public var optionsRead: [any RequestOption.Type] { stageOptions }
    /// Whether the stage, as configured, respects deadlines.
    public var keepsDeadlines: Bool { stageKeepsDeadlines }
    /// Returns the problems of this stage at its place in a chain.
    public func problems(at place: ChainPlace) -> [ChainProblem] { stageProblems(at: place) }
    /// Returns the capabilities available to outer stages.
    public func capabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        stageCapabilities(over: inner)
    }
}
