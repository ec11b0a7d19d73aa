public import HTTPChainCore

/// The processors of one call, beside those of the stage.
///
/// The outermost ``RequestProcessorMiddleware`` of a chain runs these after its own processors and takes them off the
/// request, so that they run once. One that is added by a processor is left for a stage further in.
public enum CallProcessors: RequestOption {
    /// Only what processes all calls.
    public static var defaultValue: [any RequestProcessor] { [] }
}

extension Request {
    /// The request with one more processor for this call.
    ///
    /// Several run in the order in which they were added, after the processors of the chain.
    public consuming func processed(by processor: some RequestProcessor) -> Request {
        options[CallProcessors.self].append(processor)
        return self
    }

    /// The request with one more closure that processes this call.
    ///
    /// ```swift
    /// let request = Request.get("plants").processed { request in
    ///     request.head.headerFields[.from] = try await account.address
    /// }
    /// ```
    public consuming func processed(_ body: @escaping ClosureRequestProcessor.Process) -> Request {
        processed(by: ClosureRequestProcessor("closure", body))
    }
}
