extension Chain {
    /// Returns the chain with a stage added on the inside, next to the transport.
    ///
    /// - Throws: ``ChainOrderError`` if the order becomes wrong.
    public func appending(_ stage: some Middleware) throws -> Chain {
        try with(stages + [stage])
    }

    /// Returns the chain with a stage added just outside the first stage of a type.
    ///
    /// - Throws: An ``HTTPChainError`` that names the stages of the chain if there is no such stage;
    ///   ``ChainOrderError`` if the order becomes wrong.
    public func inserting<Anchor: Middleware>(_ stage: some Middleware, before anchor: Anchor.Type) throws -> Chain {
        var stages = stages
        stages.insert(stage, at: try index(of: anchor))
        return try with(stages)
    }

    /// Returns the chain with a stage added just inside the last stage of a type.
    ///
    /// - Throws: An ``HTTPChainError`` that names the stages of the chain if there is no such stage;
    ///   ``ChainOrderError`` if the order becomes wrong.
    public func inserting<Anchor: Middleware>(_ stage: some Middleware, after anchor: Anchor.Type) throws -> Chain {
        guard let index = stages.lastIndex(where: { $0 is Anchor }) else {
            throw ChainEditError(missing: anchor, in: self)
        }
        var stages = stages
        stages.insert(stage, at: index + 1)
        return try with(stages)
    }

    /// Returns the chain with the first stage of a type replaced.
    ///
    /// - Throws: An ``HTTPChainError`` that names the stages of the chain if there is no such stage;
    ///   ``ChainOrderError`` if the order becomes wrong.
    public func replacing<Old: Middleware>(_ old: Old.Type, with stage: some Middleware) throws -> Chain {
        var stages = stages
        stages[try index(of: old)] = stage
        return try with(stages)
    }

    /// Returns the chain without the stages of a type.
    ///
    /// - Throws: An ``HTTPChainError`` that names the stages of the chain if there is no such stage;
    ///   ``ChainOrderError`` if the order becomes wrong.
    public func removing<Old: Middleware>(_ old: Old.Type) throws -> Chain {
        _ = try index(of: old)
        return try with(stages.filter { !($0 is Old) })
    }

    /// Returns a chain with the same stages and another transport.
    ///
    /// - Throws: ``ChainOrderError`` if the stages conflict with the transport.
    public func over(_ transport: any Transport) throws -> Chain {
        try with(stages, transport: transport)
    }

    private func index<Stage: Middleware>(of type: Stage.Type) throws(ChainEditError) -> Int {
        guard let index = stages.firstIndex(where: { $0 is Stage }) else {
            throw ChainEditError(missing: type, in: self)
        }
        return index
    }
}

/// An error thrown if an edit names a stage that isn't in the chain.
package struct ChainEditError: ExplainedError, Hashable {
    /// The type that is missing.
    package let missing: String
    /// The stages the chain has, outermost first.
    package let stages: [String]

    init(missing: Any.Type, in chain: Chain) {
        self.missing = StageSummary.name(of: missing)
        stages = chain.stages.map(\.summary.name)
    }

    package var failedStage: String { "Chain" }

    package var explanation: Explanation {
        Explanation(
            "there is no \(missing) in the chain; it has "
                + (stages.isEmpty ? "no stages" : stages.joined(separator: ", "))
        )
    }
}
