/// A stage that may pass a request to other transports than that of its chain.
package protocol BranchingMiddleware: Middleware {
    /// The other transports.
    var branches: [any Transport] { get }
}

extension Transport {
    /// The stages of the chains nested in the transport, outermost first; empty if it isn't a chain.
    package var nestedStages: [any Middleware] {
        guard let chain = self as? Chain else { return [] }
        return chain.stages + chain.transport.nestedStages
    }
}
