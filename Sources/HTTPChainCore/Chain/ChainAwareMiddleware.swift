/// A stage that judges its neighbors in a chain, or changes what the stages outside it can count on.
///
/// ``Chain`` asks it once, when the chain is built. Most stages have nothing to say here: their ``Middleware/phase`` is
/// enough.
public protocol ChainAwareMiddleware: Middleware {
    /// Returns the problems of this stage with its place in a chain, beyond the order of phases; by default nothing.
    ///
    /// - Parameter place: The stages around it and the transport's capabilities.
    func problems(at place: ChainPlace) -> [ChainProblem]

    /// Returns the capabilities that the stages outside can count on, given those of the inside; unchanged by default.
    func capabilities(over inner: TransportCapabilities) -> TransportCapabilities
}

extension ChainAwareMiddleware {
    /// Nothing wrong.
    public func problems(at place: ChainPlace) -> [ChainProblem] { [] }

    /// Returns the capabilities of the inside, unchanged.
    public func capabilities(over inner: TransportCapabilities) -> TransportCapabilities { inner }
}
