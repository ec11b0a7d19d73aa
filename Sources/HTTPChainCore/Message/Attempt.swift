/// The number of a request's attempt; see also ``Request/attempt``.
package enum AttemptNumber: RequestOption, RequestNote {
    /// The first attempt.
    package static var defaultValue: Int { 1 }
}

/// The number of attempts made to get a response; see also ``Response/attempts``.
package enum AttemptCount: ResponseOption {
    /// One attempt.
    package static var defaultValue: Int { 1 }
}

extension Request {
    /// The number of this attempt of the call: 1 for the first, incremented by a stage that retries.
    public var attempt: Int {
        get { options[AttemptNumber.self] }
        set { options[AttemptNumber.self] = newValue }
    }
}

extension Response {
    /// The number of attempts made to get this response: 1 unless a stage retried the request, 0 if it came from a
    /// cache.
    public var attempts: Int {
        get { options[AttemptCount.self] }
        set { options[AttemptCount.self] = newValue }
    }
}
