/// The typed value that a request was made from, such as a `GetUser(id: 42)` that was turned into `GET /users/42`.
///
/// Code that makes requests from values sets it; mocks and stages that act on the kind of call rather than on its URL
/// read it. ``Request/value`` is the short way to it.
public enum RequestValue: RequestOption {
    /// The request was made by hand.
    public static var defaultValue: (any Sendable)? { nil }
}

extension Request {
    /// The typed value the request was made from; `nil` when it was made by hand.
    public var value: (any Sendable)? {
        get { options[RequestValue.self] }
        set { options[RequestValue.self] = newValue }
    }

    /// The same request, marked as made from a value.
    public consuming func made(from value: some Sendable) -> Request {
        self.value = value
        return self
    }
}
