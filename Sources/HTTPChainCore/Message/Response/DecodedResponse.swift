/// A decoded value together with its response.
///
/// ```swift
/// let page = try await chain.send(.get("https://api.example.com/plants"), decoding: [Plant].self)
/// show(page.value, until: page.headers[.eTag])
/// ```
///
/// All properties of ``Response`` can be read directly: `page.status`, `page.headers`, `page.request`, and properties
/// that stages add, such as `page.cacheStatus` and `page.hops`.
@dynamicMemberLookup
public struct DecodedResponse<Value: Sendable>: Sendable {
    /// The decoded body.
    public var value: Value

    /// The response.
    ///
    /// Its body has been read; reading it again is an error unless it is replayable.
    public var response: Response

    /// Makes a value with a response, for example in a test.
    package init(_ value: Value, response: Response) {
        self.value = value
        self.response = response
    }

    /// Returns a property of the response.
    public subscript<Part>(dynamicMember part: KeyPath<Response, Part>) -> Part {
        response[keyPath: part]
    }

    /// Transforms the value and keeps the response.
    package func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> DecodedResponse<Other> {
        DecodedResponse<Other>(try transform(value), response: response)
    }
}
