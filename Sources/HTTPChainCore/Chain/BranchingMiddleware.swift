/// A stage that may pass a request to other transports than that of its chain.
package protocol BranchingMiddleware: Middleware {
    /// The other transports.
    var branches: [any Transport] { get }
}
