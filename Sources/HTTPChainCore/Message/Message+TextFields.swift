public import HTTPTypes

// Initializers that callers may guess, with and without path variables and a query, so that the compiler's error says
// what to write.
extension Request {
    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public init(
        _ method: HTTPRequest.Method,
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>,
        body: HTTPBody = .empty
    ) {
        self.init(method, "")
    }

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func get(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>
    ) -> Request { Request(.get, "") }

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func delete(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>,
        body: HTTPBody = .empty
    ) -> Request { Request(.delete, "") }

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func post(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>,
        body: HTTPBody = .empty
    ) -> Request { Request(.post, "") }

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func post(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>,
        json value: some Encodable
    ) -> Request { Request(.post, "") }

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func put(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>,
        body: HTTPBody = .empty
    ) -> Request { Request(.put, "") }

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func patch(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>,
        body: HTTPBody = .empty
    ) -> Request { Request(.patch, "") }
}

extension Response {
    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public init(
        _ status: HTTPResponse.Status,
        headers: KeyValuePairs<String, String>,
        body: HTTPBody = .empty
    ) {
        self.init(status)
    }
}
