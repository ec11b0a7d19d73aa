/// The rest of a chain, as a stage sees it: calling it sends a request on.
public struct Next: Sendable {
    /// A ``ChainLink``, except in the `next` that the last link itself is given, which nobody calls.
    @usableFromInline let link: any AnyObject & Sendable

    init(_ link: any AnyObject & Sendable) {
        self.link = link
    }

    /// Passes the request to the next stage, or to the transport when there is none.
    ///
    /// A stage may call it more than once, with a body that can be read more than once.
    ///
    /// - Throws: What the stages inside and the transport throw.
    @inlinable
    @inline(__always)
    public func callAsFunction(_ request: consuming Request) async throws -> Response {
        // Inlined into the stage, and neither a branch nor an optional on the way: only so does the compiler lend the
        // link's stage and next to the call instead of retaining both, which would cost more than the call itself.
        let link = unsafeDowncast(link, to: ChainLink.self)
        return try await link.stage.intercept(request, next: link.next)
    }
}

extension Next {
    /// A `next` that is not part of a chain but leads straight to a transport, for driving one stage by hand.
    public init(to transport: any Transport) {
        self.init(ChainLink(TransportStage(transport: transport), next: Next(NoLink())))
    }
}

/// One stage and what comes after it: made once with the chain, shared by every call.
@usableFromInline
final class ChainLink: Sendable {
    @usableFromInline let stage: any Middleware
    @usableFromInline let next: Next

    init(_ stage: any Middleware, next: Next) {
        self.stage = stage
        self.next = next
    }
}

/// The transport as the innermost stage; there is nothing after it, and it asks for nothing.
private struct TransportStage: Middleware {
    let transport: any Transport

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await transport.send(request)
    }
}

/// Stands where a link would be after the last one.
private final class NoLink: Sendable {}

/// The stages and the transport behind one chain.
final class ChainLinks: Sendable {
    let stages: [any Middleware]
    let transport: any Transport
    let first: Next

    init(stages: [any Middleware], transport: any Transport) {
        self.stages = stages
        self.transport = transport
        first = stages.reversed().reduce(Next(to: transport)) { next, stage in Next(ChainLink(stage, next: next)) }
    }
}
