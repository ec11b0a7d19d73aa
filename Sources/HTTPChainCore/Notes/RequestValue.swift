/// The typed value that a request was made from, such as a `GetUser(id: 42)` that was turned into `GET /users/42`.
///
/// Set by code that makes requests from values. Read by mocks, and by stages that depend on the kind of call rather
/// than its URL. See also ``Request/value``.
package enum RequestValueNote: RequestOption, RequestNote {
    /// No value by default.
    package static var defaultValue: (any Sendable)? { nil }
    /// Always `false`, because the request made from the value is compared instead.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// The typed value the request was made from, or `nil` if there is none.
    public var value: (any Sendable)? {
        get { options[RequestValueNote.self] }
        set { options[RequestValueNote.self] = newValue }
    }

    /// Returns the same request, marked as made from a value.
    package consuming func made(from value: some Sendable) -> Request {
        self.value = value
        return self
    }
}
