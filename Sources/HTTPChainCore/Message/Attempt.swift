/// The number of the attempt that a request is; ``Request/attempt`` is the short way to it.
public enum AttemptNumber: RequestOption {
    /// The first.
    public static var defaultValue: Int { 1 }
}

/// The number of attempts that a response took; ``Response/attempts`` is the short way to it.
public enum AttemptCount: ResponseOption {
    /// One.
    public static var defaultValue: Int { 1 }
}

extension Request {
    /// The number of this attempt of the call: 1 for the first, counted up by a stage that sends it again.
    public var attempt: Int {
        get { options[AttemptNumber.self] }
        set { options[AttemptNumber.self] = newValue }
    }
}

extension Response {
    /// The number of attempts that it took to get this response: 1 unless a stage sent the request again, 0 for one
    /// that a cache had.
    public var attempts: Int {
        get { options[AttemptCount.self] }
        set { options[AttemptCount.self] = newValue }
    }
}
