public import HTTPChainCore

/// The processors of one call, in addition to those of the stage.
///
/// The outermost ``RequestProcessorMiddleware`` of a chain runs these after its own processors and removes them from
/// the request, so that they run only once. If one of them adds another processor, that one is left for an inner stage.
package enum ProcessingOption: RequestOption {
    /// No additional processors.
    package static var defaultValue: [any RequestProcessor] { [] }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".processing(_:)", reader: "RequestProcessorMiddleware()", phase: .build)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.isEmpty
    }
}

extension Request {
    /// Returns the request with an additional processor.
    ///
    /// If there are several, they run in the order in which they were added, after those of the chain.
    public consuming func processing(by processor: some RequestProcessor) -> Request {
        options[ProcessingOption.self].append(processor)
        return self
    }

    /// Returns the request with an additional closure as a processor.
    ///
    /// ```swift
    /// let request = Request.get("plants").processing { request in
    ///     request.head.headerFields[.from] = try await account.address
    /// }
    /// ```
    public consuming func processing(
        _ body: @escaping @Sendable (_ request: inout Request) async throws -> Void
    ) -> Request {
        processing(by: ClosureRequestProcessor("closure", body))
    }
}
