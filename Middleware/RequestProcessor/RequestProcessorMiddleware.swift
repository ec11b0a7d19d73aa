public import HTTPChainCore

/// Runs hooks that see the finished request with everything declared on the call, and may change all of it.
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
///     .get("https://api.example.com/plants").processed { $0.headers[.acceptLanguage] = "de" }
/// )
/// ```
///
/// Processors run in order, each on what the one before left. One that throws refuses the request: its own error
/// reaches the caller unchanged, and nothing is sent.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/build`` unless another is given: last among its stages when it is to see
/// what the others did. It runs once for a call; redirects and retries repeat what it made. What is safe there: URL,
/// fields, options, and to refuse a call. The content is not final yet: a signature or digest of the body belongs
/// inside gzip and multipart, at ``/HTTPChainCore/Phase/digest``; one with a time in it inside retry, at
/// ``/HTTPChainCore/Phase/authenticate``, where each attempt gets a new one.
///
/// **Options.** ``CallProcessors`` (in short ``HTTPChainCore/Request/processed(_:)``) adds processors for one call, after
/// those of the stage.
///
/// **Errors.** None of its own.
public struct RequestProcessorMiddleware: DeadlineKeepingMiddleware {
    private let processors: [any RequestProcessor]
    /// With what else makes the request complete, or where it was put.
    public let phase: Phase

    /// Runs processors in order; none for a stage that only serves ``CallProcessors``.
    ///
    /// - Parameters:
    ///   - processors: The processors.
    ///   - phase: Where they run; ``/HTTPChainCore/Phase/build`` by default.
    public init(_ processors: any RequestProcessor..., at phase: Phase = .build) {
        self.init(processors, at: phase)
    }

    /// Runs processors in order; none for a stage that only serves ``CallProcessors``.
    ///
    /// - Parameters:
    ///   - processors: The processors.
    ///   - phase: Where they run; ``/HTTPChainCore/Phase/build`` by default.
    public init(_ processors: [any RequestProcessor], at phase: Phase = .build) {
        self.processors = processors
        self.phase = phase
    }

    /// Runs a closure.
    ///
    /// - Parameters:
    ///   - name: What it is called in `explain()`.
    ///   - phase: Where it runs; ``/HTTPChainCore/Phase/build`` by default.
    ///   - body: Looks at the request and changes it as needed.
    public init(
        _ name: String = "closure",
        at phase: Phase = .build,
        _ body: @escaping ClosureRequestProcessor.Process
    ) {
        self.init([ClosureRequestProcessor(name, body)], at: phase)
    }

    /// The names of the processors in order.
    public var summary: StageSummary {
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
    /// - Throws: What a processor throws, unchanged; what the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        for processor in processors { try await run(processor, on: &request) }
        // Looked at after the stage's own have run: they may change what the call declares.
        if request.options.contains(CallProcessors.self) {
            let own = request.options[CallProcessors.self]
            request.options.remove(CallProcessors.self)
            for processor in own { try await run(processor, on: &request) }
        }
        return try await next(request)
    }

    /// Runs a processor, which may wait for whatever it likes, up to the deadline of the call.
    @inline(__always)
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
