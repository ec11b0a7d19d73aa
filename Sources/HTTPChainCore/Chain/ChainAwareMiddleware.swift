/// A stage that checks its neighbors in a chain, or changes the capabilities available to outer stages.
///
/// ``Chain`` calls it once, when the chain is built. Most stages only need a ``Middleware/phase``.
public protocol ChainAwareMiddleware: Middleware {
    /// Returns the problems of this stage at its place in a chain, beyond the order of phases; defaults to none.
    ///
    /// - Parameter place: The surrounding stages and the transport's capabilities.
    func problems(at place: ChainPlace) -> [ChainProblem]

    /// Returns the capabilities available to outer stages, given those inside; returns them unchanged by default.
    func capabilities(over inner: TransportCapabilities) -> TransportCapabilities
}

extension ChainAwareMiddleware {
    /// Returns no problems.
    public func problems(at place: ChainPlace) -> [ChainProblem] { [] }

    /// Returns the inner capabilities unchanged.
    public func capabilities(over inner: TransportCapabilities) -> TransportCapabilities { inner }
}
