/// When the whole call ends, on the scale of `environment.time.elapsed`.
///
/// The stage that keeps the deadline sets it; stages inside read it so as not to begin what cannot end in time, such as
/// a wait before a retry. ``Request/remainingTime`` is the short way to what is left.
public enum CallDeadline: RequestOption {
    /// The call may take as long as it takes.
    public static var defaultValue: Duration? { nil }
}

extension Request {
    /// How long the call may still take, never negative; `nil` without a deadline.
    public var remainingTime: Duration? {
        guard let deadline = options[CallDeadline.self] else { return nil }
        return max(.zero, deadline - environment.time.elapsed)
    }
}
