/// The rest of a chain, as seen by a stage; calling it passes a request on.
public struct Next: Sendable {
    /// A ``ChainLink``; in the `next` of the last link, which is never called, a placeholder.
    @usableFromInline let link: any AnyObject & Sendable

    init(_ link: any AnyObject & Sendable) {
        self.link = link
    }

    /// Passes the request to the next stage, or to the transport if there is none.
    ///
    /// The request is consumed. To call `next` more than once, pass `copy request` in every call but the last, with a
    /// replayable body. See ``Middleware`` for an example.
    ///
    /// The inner stages don't run on the caller's actor, so they don't block it.
    ///
    /// - Throws: Errors of the inner stages and the transport.
    @inlinable
    @inline(__always)
    public nonisolated(nonsending) func callAsFunction(_ request: consuming Request) async throws -> Response {
        // A variable, because Swift 6.3's compiler fails for `guard #isolation == nil`.
        let actor: (any Actor)? = #isolation
        guard actor == nil else { return try await callOutsideActor(request) }
        // Inlined into the stage, and without an optional. Only then does the compiler borrow the link's stage and next for
        // the call instead of retaining both, which would cost more than the call itself.
        let link = unsafeDowncast(link, to: ChainLink.self)
        return try await link.stage.intercept(request, next: link.next)
    }

    @usableFromInline
    @concurrent
    func callOutsideActor(_ request: consuming Request) async throws -> Response {
        try await self(request)
    }

    /// The combined capabilities of the inner stages and the transport, for a stage that adapts to them.
    public var capabilities: TransportCapabilities { (link as? ChainLink)?.capabilities ?? [] }
}

extension Request {
    /// Discards a response before this request is sent again: stores the response's cookies, updates the request's
    /// cookies, and reads or drops the body.
    ///
    /// A response with an open body may hold a connection and a permit, and the next attempt might wait for either.
    package mutating func discard(_ response: borrowing Response) async {
        await renewCookies(after: response)
        await response.body.drain(time: environment.time)
    }
}

extension Next {
    /// Passes a request on after discarding an earlier response to it, as ``Request/discard(_:)`` does.
    ///
    /// - Throws: The errors of ``callAsFunction(_:)``.
    package func callAsFunction(
        _ request: consuming Request,
        discarding response: consuming Response
    ) async throws -> Response {
        await request.discard(response)
        try Task.checkCancellation()
        return try await self(request)
    }
}

extension Next {
    /// Makes a `next` that calls a transport directly, for running a single stage without a chain.
    package init(to transport: any Transport) { self.init(to: transport, of: nil) }

    fileprivate init(to transport: any Transport, of readers: OptionReaders?) {
        self.init(
            ChainLink(
                TransportStage(transport: transport, readers: readers),
                next: Next(NoLink()),
                capabilities: transport.capabilities
            )
        )
    }
}

/// A stage and the rest of the chain; created with the chain and shared by all calls.
@usableFromInline
final class ChainLink: Sendable {
    @usableFromInline let stage: any Middleware
    @usableFromInline let next: Next
    /// The combined capabilities of this stage and those inside, as seen by the stage outside.
    let capabilities: TransportCapabilities
    /// The capabilities of the transport, before stages change them.
    let transportCapabilities: TransportCapabilities

    init(_ stage: any Middleware, next: Next, capabilities: TransportCapabilities) {
        self.stage = stage
        self.next = next
        self.capabilities = capabilities
        transportCapabilities = (next.link as? ChainLink)?.transportCapabilities ?? capabilities
    }
}

extension Next {
    /// Whether all inner stages and the transport stop waiting when the deadline of the call is reached.
    ///
    /// Otherwise a stage that enforces a deadline has to cancel the call, as ``Request/withinDeadline(_:)`` does.
    package var keepsDeadlines: Bool { capabilities.contains(.keepsDeadlines) }

    /// The inner stages, outermost first, including those of a nested chain; the last element represents the transport.
    package var innerStages: [any Middleware] {
        guard let link = link as? ChainLink else { return [] }
        if let chain = (link.stage as? TransportStage)?.transport as? Chain { return chain.links.first.innerStages }
        return [link.stage] + link.next.innerStages
    }

    /// The options that the inner stages and the transport read, and those declared with ``OptionCheck/reading(_:)``.
    package var optionsRead: [any RequestOption.Type] {
        guard let link = link as? ChainLink else { return [] }
        return link.stage.optionsRead + link.next.optionsRead
    }

    /// The options that the whole chain reads; nil for a stage that runs alone.
    var readers: OptionReaders? {
        guard let link = link as? ChainLink else { return nil }
        return (link.stage as? TransportStage)?.readers ?? link.next.readers
    }

    /// The capabilities of the transport, before stages change them.
    package var transportCapabilities: TransportCapabilities {
        (link as? ChainLink)?.transportCapabilities ?? []
    }
}

/// The transport as the innermost stage, which ignores its `next`.
private struct TransportStage: DeadlineKeepingMiddleware {
    let transport: any Transport
    /// Whether the transport is a chain, which records by itself that the request is sent.
    let isChain: Bool
    /// The options that the whole chain reads.
    let readers: OptionReaders?

    init(transport: any Transport, readers: OptionReaders?) {
        self.transport = transport
        isChain = transport is Chain
        self.readers = readers
    }

    /// The options that the transport reads, and those declared with ``OptionCheck/reading(_:)``.
    var optionsRead: [any RequestOption.Type] { transport.optionsRead + (readers?.named ?? []) }
    var keepsDeadlines: Bool { transport.capabilities.contains(.keepsDeadlines) }

    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if !isChain { request.noteSending() }
        return try await transport.send(request)
    }
}

/// A placeholder for the link after the last one.
private final class NoLink: Sendable {}

/// The stages and the transport behind one chain.
final class ChainLinks: Sendable {
    let stages: [any Middleware]
    let transport: any Transport
    let first: Next
    /// The stages that record calls, including those of nested chains.
    let recorders: [any CallRecordingMiddleware]
    /// The stages, including those of nested chains and branches, that add an identity.
    let identifyingStages: [any IdentifyingMiddleware]
    let optionReaders: OptionReaders
    /// Whether the chain returns requests and responses unchanged: it has no environment and records no calls.
    let addsNothing: Bool
    /// Whether the transport is a chain, which records by itself that the request is sent.
    let leadsToChain: Bool

    init(stages: [any Middleware], transport: any Transport, options: OptionCheck, hasEnvironment: Bool) {
        self.stages = stages
        self.transport = transport
        leadsToChain = transport is Chain
        recorders =
            stages.compactMap { $0 as? any CallRecordingMiddleware }.filter(\.recordsCalls)
            + ((transport as? Chain)?.links.recorders ?? [])
        identifyingStages = stages.identifyingStages + Chain.identifyingStages(in: transport)
        optionReaders = OptionReaders(stages: stages, transport: transport, check: options)
        addsNothing = !hasEnvironment && recorders.isEmpty
        let capabilities = ChainOrder.capabilities(of: stages, over: transport)
        first = zip(stages, capabilities).reversed().reduce(Next(to: transport, of: optionReaders)) { next, place in
            Next(ChainLink(place.0, next: next, capabilities: place.1))
        }
    }

    /// Whether every option of a request is read by something, or harmless.
    ///
    /// Inlined, it would retain and release the lists of the readers for each call (`chain.options.check`).
    @inline(never)
    func readOptions(of request: borrowing Request) -> Bool { optionReaders.read(all: request.options.storage) }
}
