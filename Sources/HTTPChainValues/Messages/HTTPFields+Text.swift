import HTTPChainSupport
public import HTTPTypes

extension HTTPFields {
    /// The value of a field whose name is a string, such as a field that only your service uses.
    ///
    /// ```swift
    /// var request = Request.get("https://api.example.com/plants")
    /// request.headers["X-Request-ID"] = "42"
    /// ```
    ///
    /// Getting and setting work as for an `HTTPField.Name`. A name that isn't a token (RFC 9110 §5.1) has no value.
    /// After setting one, the request can't be sent: the transport throws ``InvalidRequestError``.
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

    /// Makes fields whose names are strings.
    ///
    /// ```swift
    /// let request = Request.get("https://api.example.com/plants", headers: HTTPFields(["X-Request-ID": "42"]))
    /// ```
    ///
    /// A repeated name keeps all of its values. A request with a name that isn't a token (RFC 9110 §5.1) isn't sent:
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

extension HTTPField.Name {
    /// The field that stores an invalid name until a transport refuses the request.
    ///
    /// Fields can't contain an invalid name, and neither a subscript's setter nor a literal can throw.
    package static let invalidName = Self(constant: "httpchain-invalid-field-name")
}
