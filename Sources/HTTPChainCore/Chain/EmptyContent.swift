/// A type that has a value for a response without content: 204, 205, an answer to HEAD, or no bytes.
///
/// Optional types are nil then, and ``EmptyResponse`` is itself. For any other type a response without content is a
/// ``DecodingFailure``.
public protocol EmptyContentRepresentable {
    /// The value that stands for no content.
    static var emptyContent: Self { get }
}

/// The values that a response without content decodes to.
package enum EmptyContent {
    /// The value of a type that stands for no content; `nil` where the type has none.
    package static func value<Value>(of type: Value.Type) -> Value? {
        guard let type = type as? any EmptyContentRepresentable.Type else { return nil }
        return value(type) as? Value
    }

    private static func value<Empty: EmptyContentRepresentable>(_ type: Empty.Type) -> Any { Empty.emptyContent }
}

extension Optional: EmptyContentRepresentable {
    /// No value.
    public static var emptyContent: Self { nil }
}

/// No value at all: what to expect of a call whose answer has nothing to say.
///
/// ```swift
/// _ = try await chain.send(.delete("https://api.example.com/plants/7"), as: EmptyResponse.self)
/// ```
///
/// Content that comes nevertheless is not looked at.
public struct EmptyResponse: Codable, Sendable, Hashable, EmptyContentRepresentable {
    /// Makes the only value there is.
    public init() {}

    /// Takes anything.
    public init(from decoder: any Decoder) throws {}

    /// Makes an empty object.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: NoKey.self)
    }

    /// The only value there is.
    public static var emptyContent: EmptyResponse { EmptyResponse() }

    private enum NoKey: CodingKey {}
}
