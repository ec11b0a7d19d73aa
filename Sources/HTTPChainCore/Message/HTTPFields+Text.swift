public import HTTPTypes

extension HTTPFields {
    /// The value of the field with a name that is text, such as a field that only your service uses.
    ///
    /// ```swift
    /// var request = Request.get("https://api.example.com/plants")
    /// request.headers["X-Request-ID"] = "42"
    /// ```
    ///
    /// It reads and sets the same as `HTTPFields` does for an `HTTPField.Name`. A name that isn't a token (RFC 9110
    /// §5.1) has no value. A request for which one was set isn't sent: the transport throws ``InvalidRequestError``.
    public subscript(name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set {
            if let name = HTTPField.Name(name) {
                self[name] = newValue
            } else if newValue != nil {
                self[.invalidName] = name
            }
        }
    }

    /// Makes fields whose names are text.
    ///
    /// ```swift
    /// let request = Request.get("https://api.example.com/plants", headers: HTTPFields(["X-Request-ID": "42"]))
    /// ```
    ///
    /// A name that is given again has both values. A request with a name that isn't a token (RFC 9110 §5.1) isn't sent:
    /// the transport throws ``InvalidRequestError``.
    ///
    /// - Parameter fields: Names and values.
    public init(_ fields: KeyValuePairs<String, String>) {
        self.init()
        for (name, value) in fields {
            if let name = HTTPField.Name(name) {
                append(HTTPField(name: name, value: value))
            } else {
                self[.invalidName] = name
            }
        }
    }
}

// Guesses, with path variables and a query too, so that the compiler's error says how to write them.
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
    public static func head(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>
    ) -> Request { Request(.head, "") }

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func options(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>
    ) -> Request { Request(.options, "") }

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

    /// Unavailable: make fields whose names are text with `HTTPFields(_:)`.
    @available(*, unavailable, message: "write HTTPFields([\"X-Name\": \"value\"]) if names are text")
    public static func query(
        _ url: Any,
        path: Any = (),
        query: Any = (),
        headers: KeyValuePairs<String, String>,
        body: HTTPBody = .empty
    ) -> Request { Request(.query, "") }
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

extension HTTPField.Name {
    /// The field that keeps a name that isn't a token until a transport refuses the request.
    ///
    /// Fields can't hold such a name, and neither a subscript that sets nor a literal can throw.
    static let invalidName = Self(constant: "httpchain-invalid-field-name")
}
