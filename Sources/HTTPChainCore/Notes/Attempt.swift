/// The number of a request's attempt; see also ``Request/attempt``.
package enum AttemptNumberNote: RequestOption, RequestNote {
    /// The first attempt.
    package static var defaultValue: Int { 1 }
}

/// The number of attempts made to get a response; see also ``Response/attempts``.
package enum AttemptCountFact: ResponseOption {
    /// One attempt.
    package static var defaultValue: Int { 1 }
}

/// The largest number of attempts, to which stages can add without an overflow.
private let mostAttempts = 1_000_000_000

extension Request {
    /// The number of this attempt of the call: 1 for the first, incremented by a stage that retries.
    ///
    /// Values out of the range from 1 to a billion are clamped.
    public var attempt: Int {
        get { options[AttemptNumberNote.self] }
        set { options[AttemptNumberNote.self] = min(max(1, newValue), mostAttempts) }
    }
}

extension Response {
    /// The number of attempts made to get this response: 1 unless a stage retried the request, 0 if it came from a
    /// cache.
    ///
    /// Values out of the range from 0 to a billion are clamped.
    public var attempts: Int {
        get { options[AttemptCountFact.self] }
        set { options[AttemptCountFact.self] = min(max(0, newValue), mostAttempts) }
    }
}
