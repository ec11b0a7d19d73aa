/// A stage that may pass a request to a transport outside its chain.
package protocol BranchingMiddleware: Middleware {
    /// The other transports.
    var branches: [any Transport] { get }
}
