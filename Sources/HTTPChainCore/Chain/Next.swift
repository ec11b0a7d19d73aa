/// The rest of a chain, as a stage sees it: calling it sends a request on.
public struct Next: Sendable {
    @usableFromInline let links: ChainLinks
    @usableFromInline let index: Int

    @inlinable
    init(links: ChainLinks, index: Int) {
        self.links = links
        self.index = index
    }

    /// Passes the request to the next stage, or to the transport when there is none.
    ///
    /// A stage may call it more than once, with a body that can be read more than once.
    ///
    /// - Throws: What the stages inside and the transport throw.
    @inlinable
    public func callAsFunction(_ request: consuming Request) async throws -> Response {
        if index < links.stages.count {
            return try await links.stages[index].intercept(request, next: Next(links: links, index: index + 1))
        }
        return try await links.transport.send(request)
    }
}

extension Next {
    /// A `next` that is not part of a chain but leads straight to a transport, for driving one stage by hand.
    public init(to transport: any Transport) {
        self.init(links: ChainLinks(stages: [], transport: transport), index: 0)
    }
}

/// The stages and the transport behind one chain: made once, shared by every call.
@usableFromInline
final class ChainLinks: Sendable {
    @usableFromInline let stages: [any Middleware]
    @usableFromInline let transport: any Transport

    @usableFromInline
    init(stages: [any Middleware], transport: any Transport) {
        self.stages = stages
        self.transport = transport
    }
}
