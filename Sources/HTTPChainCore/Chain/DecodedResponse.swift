/// A decoded value together with the response that it came in.
///
/// ```swift
/// let page = try await chain.send(.get("https://api.example.com/plants"), decoding: [Plant].self)
/// show(page.value, until: page.headers[.eTag])
/// ```
///
/// Everything that a ``Response`` has can be read on it directly: `page.status`, `page.headers`, `page.request`, and
/// what stages add to responses, such as `page.cacheStatus` and `page.hops`.
@dynamicMemberLookup
public struct DecodedResponse<Value: Sendable>: Sendable {
    /// The decoded body.
    public var value: Value

    /// The response; its body was read, and reading it again is an error unless it can be replayed.
    public var response: Response

    /// Makes a value with a response, as for a test.
    public init(_ value: Value, response: Response) {
        self.value = value
        self.response = response
    }

    /// A part of the response.
    public subscript<Part>(dynamicMember part: KeyPath<Response, Part>) -> Part {
        response[keyPath: part]
    }

    /// Another value with the same response.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> DecodedResponse<Other> {
        DecodedResponse<Other>(try transform(value), response: response)
    }
}
