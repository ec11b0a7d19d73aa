// Code that only has a transport uses these functions to look inside it if it is a chain.
extension Chain {
    /// Returns the stages of the chains nested in a transport, outermost first; none if it isn't a chain.
    package static func stages(in transport: some Transport) -> [any Middleware] {
        guard let chain = transport as? Chain else { return [] }
        return chain.stages + stages(in: chain.transport)
    }

    /// Returns the stages that add an identity, in a chain and the chains nested in it; none if the transport isn't one.
    static func identifyingStages(in transport: some Transport) -> [any IdentifyingMiddleware] {
        (transport as? Chain)?.links.identifyingStages ?? []
    }

    /// Sets the environment of a request to that of the chain that will send it, unless it already has one; a transport
    /// that isn't a chain has none.
    package static func fillEnvironment(of request: inout Request, over transport: some Transport) {
        (transport as? Chain)?.fillEnvironment(of: &request)
    }

    /// Returns the clock of a call: the request's, or the chain's if the request has no environment.
    static func time(for request: borrowing Request, over transport: some Transport) -> any TimeSource {
        if !request.options.contains(EnvironmentNote.self),
            let environment = (transport as? Chain)?.defaultEnvironment
        {
            return environment.time
        }
        return request.environment.time
    }
}
