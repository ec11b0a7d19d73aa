/// The rest of a chain, as a stage sees it: calling it sends a request on.
public struct Next: Sendable {
    /// A ``ChainLink``, except in the `next` that the last link itself is given, which is never called.
    @usableFromInline let link: any AnyObject & Sendable

    init(_ link: any AnyObject & Sendable) {
        self.link = link
    }

    /// Passes the request to the next stage, or to the transport when there is none.
    ///
    /// The request is consumed: to call it more than once, pass `copy request` in every call but the last, with a body
    /// that can be read more than once. ``Middleware`` has an example.
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

    /// The capabilities that the stages inside and the transport offer together, for a stage that adapts to them.
    public var capabilities: TransportCapabilities { (link as? ChainLink)?.capabilities ?? [] }
}

extension Next {
    /// A `next` that is not part of a chain but leads straight to a transport, for driving one stage by hand.
    public init(to transport: any Transport) {
        self.init(
            ChainLink(
                TransportStage(transport: transport),
                next: Next(NoLink()),
                capabilities: transport.capabilities
            )
        )
    }
}

/// One stage and what comes after it: made once with the chain, shared by every call.
@usableFromInline
final class ChainLink: Sendable {
    @usableFromInline let stage: any Middleware
    @usableFromInline let next: Next
    /// The capabilities that this stage and those inside it offer to the stage before.
    let capabilities: TransportCapabilities
    /// The capabilities of the transport, whatever the stages make of them.
    let transportCapabilities: TransportCapabilities

    init(_ stage: any Middleware, next: Next, capabilities: TransportCapabilities) {
        self.stage = stage
        self.next = next
        self.capabilities = capabilities
        transportCapabilities = (next.link as? ChainLink)?.transportCapabilities ?? capabilities
    }
}

extension Next {
    /// Whether everything that waits inside ends its wait when the deadline of the call has come.
    ///
    /// A stage that keeps a deadline over anything else has to cancel it; ``Request/withinDeadline(_:)`` does.
    public var keepsDeadlines: Bool { capabilities.contains(.keepsDeadlines) }

    /// The capabilities of the transport, whatever the stages make of them.
    package var transportCapabilities: TransportCapabilities {
        (link as? ChainLink)?.transportCapabilities ?? []
    }
}

/// The transport as the innermost stage; there is nothing after it, and it asks for nothing.
private struct TransportStage: DeadlineKeepingMiddleware {
    let transport: any Transport
    /// A chain has an end of its own, which tells that a request is being sent.
    let isChain: Bool

    init(transport: any Transport) {
        self.transport = transport
        isChain = transport is Chain
    }

    var keepsDeadlines: Bool { transport.capabilities.contains(.keepsDeadlines) }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if !isChain { request.noteSending() }
        return try await transport.send(request)
    }
}

/// Stands where a link would be after the last one.
private final class NoLink: Sendable {}

/// The stages and the transport behind one chain.
final class ChainLinks: Sendable {
    let stages: [any Middleware]
    let transport: any Transport
    let first: Next
    /// The stages, those of chains inside included, that want calls recorded from here on.
    let recorders: [any CallRecordingMiddleware]
    /// Whether the chain hands requests and responses on as they are: it has no environment, and records no call.
    let addsNothing: Bool
    /// Whether the transport is a chain, which has an end of its own.
    let leadsToChain: Bool

    init(stages: [any Middleware], transport: any Transport, hasEnvironment: Bool) {
        self.stages = stages
        self.transport = transport
        leadsToChain = transport is Chain
        recorders =
            stages.compactMap { $0 as? any CallRecordingMiddleware }.filter(\.recordsCalls)
            + ((transport as? Chain)?.links.recorders ?? [])
        addsNothing = !hasEnvironment && recorders.isEmpty
        let capabilities = ChainOrder.capabilities(of: stages, over: transport)
        first = zip(stages, capabilities).reversed().reduce(Next(to: transport)) { next, place in
            Next(ChainLink(place.0, next: next, capabilities: place.1))
        }
    }
}
