public import HTTPChainCore

/// Runs processors, which may change any part of the request, including the options of the call.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     HeadersMiddleware([.accept: "application/json"])
///     RequestProcessorMiddleware("version") { request in
///         request.head.path = "/v2" + (request.head.path ?? "")
///     }
///     GzipMiddleware(requests: .standard)
///     RequestProcessorMiddleware("signature", at: .digest) { request in
///         let bytes = try await request.body.collect()   // as they are sent: compressed
///         request.head.headerFields[.signature] = try await signer.sign(bytes)
///     }
/// }
/// let response = try await chain.send(
///     .get("https://api.example.com/plants").processing { $0.headers[.acceptLanguage] = "de" }
/// )
/// ```
///
/// Processors run in order, each on the previous one's result. A processor that throws refuses the request: the caller
/// receives its error unchanged, and nothing is sent.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/build`` by default. Put the stage last in it if it depends on changes by
/// other stages. The stage runs once per call; redirects and retries reuse its result. In this phase, it can safely
/// change the URL, fields and the options that inner stages read, and refuse a call. It is too late for an option that
/// only an outer stage reads, such as a timeout, so that option is refused. The content isn't final yet. Compute
/// signatures and digests of the body inside gzip and multipart, at ``/HTTPChainCore/Phase/digest``. Compute those that
/// contain a time inside retry, at ``/HTTPChainCore/Phase/authenticate``, so that each attempt gets a new one.
///
/// **Options.** ``HTTPChainCore/Request/processing(_:)`` adds processors for one call, after those of the stage.
///
/// **Errors.** Those of processors, and `UnreadOptionError` for an option that a processor sets and that no inner stage
/// reads.
public struct RequestProcessorMiddleware: BuiltInStage {
    private let processors: [any RequestProcessor]
    /// The build phase, or the phase passed to the initializer.
    package let stagePhase: Phase

    /// Makes a stage that runs processors in order.
    ///
    /// Without any, the stage runs only the processors of calls.
    ///
    /// - Parameters:
    ///   - processors: The processors.
    ///   - phase: The phase in which they run. Defaults to ``/HTTPChainCore/Phase/build``.
    public init(_ processors: any RequestProcessor..., at phase: Phase = .build) {
        self.init(processors, at: phase)
    }

    /// Makes a stage that runs processors in order.
    ///
    /// Without any, the stage runs only the processors of calls.
    ///
    /// - Parameters:
    ///   - processors: The processors.
    ///   - phase: The phase in which they run. Defaults to ``/HTTPChainCore/Phase/build``.
    package init(_ processors: [any RequestProcessor], at phase: Phase = .build) {
        self.processors = processors
        stagePhase = phase
    }

    /// Makes a stage that runs a closure.
    ///
    /// - Parameters:
    ///   - name: The processor's name in `explain()`.
    ///   - phase: The phase in which it runs. Defaults to ``/HTTPChainCore/Phase/build``.
    ///   - body: Inspects the request and changes it as needed.
    public init(
        _ name: String = "closure",
        at phase: Phase = .build,
        _ body: @escaping @Sendable (_ request: inout Request) async throws -> Void
    ) {
        self.init([ClosureRequestProcessor(name, body)], at: phase)
    }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [ProcessingOption.self] }

    /// The names of the processors in order.
    package var stageSummary: StageSummary {
        StageSummary(
            "RequestProcessorMiddleware",
            purpose: "runs hooks on the request",
            settings: [
                "processors": processors.isEmpty ? "those of the call" : processors.map(\.name).joined(separator: ", ")
            ]
        )
    }

    /// Runs the processors and passes the request on.
    ///
    /// - Throws: Rethrows errors of processors (unchanged) and of the inner stages; `UnreadOptionError`.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let given = request.options
        for processor in processors { try await run(processor, on: &request) }
        // This is checked after the stage's own processors have run, because they may change the call's options.
        if request.options.contains(ProcessingOption.self) {
            let own = request.options[ProcessingOption.self]
            request.options.remove(ProcessingOption.self)
            for processor in own { try await run(processor, on: &request) }
        }
        try next.refuseLateOptions(of: request, setBy: "RequestProcessorMiddleware", after: given)
        return try await next(request)
    }

    /// Runs a processor, which may wait until the call's deadline.
    private func run(_ processor: any RequestProcessor, on request: inout Request) async throws {
        guard let timer = request.callTimer else { return try await processor.process(&request) }
        let given = request
        request = try await timer.run {
            var request = given
            try await processor.process(&request)
            return request
        }
    }
}
