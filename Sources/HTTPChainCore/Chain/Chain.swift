/// An ordered list of stages around a transport.
///
/// ```swift
/// let chain = try Chain(transport: URLSessionTransport()) {
///     StatusValidationMiddleware()
///     HeadersMiddleware([.accept: "application/json"])
/// }
/// let user = try await chain.send(.get("https://api.example.com/users/42"), as: User.self)
/// ```
///
/// Stages are ordered outermost first: the first stage sees the request first and the response last. A chain is created
/// once and shared by any number of concurrent calls. It is a transport itself, so chains nest.
public struct Chain: BuiltInTransport {
    let links: ChainLinks
    let defaultEnvironment: ChainEnvironment?
    let order: OrderCheck
    let optionCheck: OptionCheck
    /// The redaction of the chain's environment, which is attached to responses; nil for the standard one.
    private let ownRedaction: Redaction?

    /// The combined capabilities of the transport and the stages.
    package let transportCapabilities: TransportCapabilities

    /// Builds a chain.
    ///
    /// - Parameters:
    ///   - transport: The transport that carries the requests, which may be another chain.
    ///   - order: Whether the order of the stages is checked. Defaults to `.checked`.
    ///   - options: Whether a request with an option that nothing reads is refused. Defaults to `.checked`.
    ///   - environment: The clock, randomness and redaction for requests that have no environment; `nil` for the live
    ///     one.
    ///   - stages: The stages, outermost first.
    /// - Throws: ``ChainOrderError`` if the order is wrong or stages conflict, with the fix for each problem.
    public init(
        transport: any Transport,
        order: OrderCheck = .checked,
        options: OptionCheck = .checked,
        environment: ChainEnvironment? = nil,
        @ChainBuilder stages: () throws -> [any Middleware] = { [] }
    ) throws {
        try self.init(stages(), transport: transport, order: order, options: options, environment: environment)
    }

    /// Builds a chain from stages in an array, outermost first.
    ///
    /// - Throws: ``ChainOrderError``, like ``init(transport:order:options:environment:stages:)``.
    public init(
        _ stages: [any Middleware],
        transport: any Transport,
        order: OrderCheck = .checked,
        options: OptionCheck = .checked,
        environment: ChainEnvironment? = nil
    ) throws(ChainOrderError) {
        if order == .checked {
            let problems = ChainOrder.problems(of: stages, over: transport).filter { $0.severity == .error }
            guard problems.isEmpty else { throw ChainOrderError(problems: problems) }
        }
        links = ChainLinks(
            stages: stages,
            transport: transport,
            options: options,
            hasEnvironment: environment != nil
        )
        transportCapabilities = ChainOrder.capabilities(of: stages, over: transport)[0]
        defaultEnvironment = environment
        ownRedaction = environment.flatMap { $0.redaction == .standard ? nil : $0.redaction }
        self.order = order
        optionCheck = options
    }

    /// The options that the stages and the transport read.
    package var transportOptions: [any RequestOption.Type] { links.optionReaders.keys }

    /// The stages, outermost first.
    public var stages: [any Middleware] { links.stages }

    /// The transport that carries the requests.
    public var transport: any Transport { links.transport }

    /// The problems that didn't prevent building the chain, outermost stage first, such as credentials that are sent
    /// without TLS.
    public var warnings: [ChainProblem] {
        ChainOrder.problems(of: stages, over: transport).filter { $0.severity == .warning } + races
    }

    /// Warnings about hedging stages if the clock is automatic, because their waits and others may then end in any
    /// order.
    private var races: [ChainProblem] {
        guard (defaultEnvironment?.time as? any AlarmingTimeSource)?.isAutomatic == true else { return [] }
        return (stages + Self.stages(in: transport)).filter { $0.phase == .hedge }.map(\.summary.name).map { name in
            ChainProblem(
                stage: name,
                problem: "\(name) waits while a response is delayed, and on the environment's automatic clock either "
                    + "wait may end first, whatever their durations",
                fix: "use a manual clock, and advance it once both wait",
                severity: .warning
            )
        }
    }

    /// The name of the chain as a transport, which includes the inner transport's name.
    package var transportName: String { "chain over \(links.transport.name)" }

    /// Sends a request through the stages.
    ///
    /// - Returns: The response; its body may still be arriving.
    /// - Throws: ``UnreadOptionError`` if the request has an option that nothing reads; errors of the stages and the
    ///   transport; `CancellationError` if the task is cancelled.
    public func send(_ request: consuming Request) async throws -> Response {
        if !request.options.storage.isChecked {
            switch links.optionReaders.check {
            case .effects:
                if !links.readOptions(of: request) { try refuseUnreadOptions(of: request) }
            case .effectsAndSwitches: try refuseUnreadOptions(of: request)
            case .nothing:
                if request.options.storage.isAwaited { return try await sendEndingWaits(request) }
            }
            request.options.storage.isChecked = true
        }
        if !links.identifyingStages.isEmpty { bindToUser(&request) }
        // Fast path: most chains add nothing to the request.
        if links.addsNothing, !request.body.isUnmeasuredFile {
            guard links.stages.isEmpty else { return try await links.first(request) }
            if !links.leadsToChain { request.noteSending() }
            return try await links.transport.send(request)
        }
        return try await prepareAndSend(request)
    }

    private func refuseUnreadOptions(of request: borrowing Request) throws(UnreadOptionError) {
        var shown = copy request
        fillEnvironment(of: &shown)
        try links.optionReaders.refuseUnreadOptions(of: shown, stages: stages)
    }

    /// Sends a request without checking its options, and then ends the waits for values that nothing has read.
    private func sendEndingWaits(_ request: consuming Request) async throws -> Response {
        request.options.storage.isChecked = true
        let options = request.options
        defer { options.endUnreadWaits() }
        return try await send(request)
    }

    private func prepareAndSend(_ request: consuming Request) async throws -> Response {
        fillEnvironment(of: &request)
        if !links.recorders.isEmpty { beginRecord(of: &request) }
        if request.body.isUnmeasuredFile { request.body = try await request.body.measured() }
        guard let ownRedaction else { return try await links.first(request) }
        var response = try await links.first(request)
        response.options[RedactionFact.self] = ownRedaction
        return response
    }

    /// Sets the request's environment to the chain's, unless it already has one.
    package func fillEnvironment(of request: inout Request) {
        if let defaultEnvironment, !request.options.contains(EnvironmentNote.self) {
            request.environment = defaultEnvironment
        }
    }

    private func bindToUser(_ request: inout Request) {
        let identity = request.bindToOneUser()
        // Uses indices, because a loop over the stages would copy each one.
        for index in links.identifyingStages.indices { links.identifyingStages[index].noteIdentity(in: identity) }
    }

    private func beginRecord(of request: inout Request) {
        if request.isRecorded { return }
        for recorder in links.recorders where recorder.wantsRecord(of: request) {
            _ = request.recordCall()
            return
        }
    }

    func with(_ stages: [any Middleware], transport: (any Transport)? = nil, order: OrderCheck? = nil) throws -> Chain {
        try Chain(
            stages,
            transport: transport ?? links.transport,
            order: order ?? self.order,
            options: optionCheck,
            environment: defaultEnvironment
        )
    }
}
