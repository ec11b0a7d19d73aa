public import HTTPTypes

/// A change to decoded values of one type before the caller gets them, such as telling children their parent.
///
/// ```swift
/// SerializerMiddleware(.json, afterDecoding: [
///     .of(Album.self) { album in
///         for index in album.tracks.indices { album.tracks[index].albumID = album.id }
///     }
/// ])
/// ```
///
/// Values of the type are those that were asked for: the value itself, the value of an optional, and the elements of
/// an array; not what lies deeper.
public struct AfterDecoding: Sendable {
    /// The type's name.
    public let typeName: String
    let apply: @Sendable (_ value: any Sendable, _ response: HTTPResponse) async throws -> any Sendable

    /// Changes values of a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - body: Is given the value to change; what it throws reaches the caller unchanged.
    public static func of<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: inout Value) async throws -> Void
    ) -> AfterDecoding {
        of(type) { value, _ in try await body(&value) }
    }

    /// Changes values of a type, with a look at the head of the response they came in.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - body: Is given the value to change; what it throws reaches the caller unchanged.
    public static func of<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: inout Value, _ response: HTTPResponse) async throws -> Void
    ) -> AfterDecoding {
        AfterDecoding(typeName: String(describing: type)) { value, response in
            if var single = value as? Value {
                try await body(&single, response)
                return single
            }
            guard var array = value as? [Value], !array.isEmpty else { return value }
            for index in array.indices {
                try await body(&array[index], response)
            }
            return array
        }
    }
}
