/// A type that has a value for a response without content: 204, 205, a response to HEAD, or no bytes.
///
/// Optional types then have the value nil. For other types that don't conform, a response without content is a
/// ``DecodingFailure``. ``EmptyResponse`` accepts any response.
package protocol EmptyContentRepresentable {
    /// The value for a response without content.
    static var emptyContent: Self { get }
}

/// The values that a response without content decodes to.
package enum EmptyContent {
    /// Returns a type's value for a response without content, or `nil` if the type has none.
    package static func value<Value>(of type: Value.Type) -> Value? {
        guard let type = type as? any EmptyContentRepresentable.Type else { return nil }
        return value(type) as? Value
    }

    private static func value<Empty: EmptyContentRepresentable>(_ type: Empty.Type) -> Any { Empty.emptyContent }
}

extension Optional: EmptyContentRepresentable {
    /// The optional's `nil`.
    package static var emptyContent: Self { nil }
}

/// An empty value, for calls whose response content doesn't matter.
///
/// ```swift
/// _ = try await chain.send(.delete("https://api.example.com/plants/7"), as: EmptyResponse.self)
/// ```
///
/// Any content is ignored.
public struct EmptyResponse: Codable, Sendable, Hashable, EmptyContentRepresentable {
    /// Makes the only value.
    public init() {}

    /// The only value.
    package static var emptyContent: EmptyResponse { EmptyResponse() }
}
