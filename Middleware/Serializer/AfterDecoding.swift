public import HTTPTypes

/// A change to decoded values of one type before the caller receives them, such as linking children to their parent.
///
/// ```swift
/// SerializerMiddleware(.json, afterDecoding: [
///     .of(Album.self) { album in
///         for index in album.tracks.indices { album.tracks[index].albumID = album.id }
///     }
/// ])
/// ```
///
/// It applies to the decoded value itself, the value of an optional, and the elements of an array, but not to nested
/// values.
public struct AfterDecoding: Sendable {
    /// The type's name.
    package let typeName: String
    /// Returns whether values of a type, or their elements, can be changed.
    let applies: @Sendable (_ type: Any.Type) -> Bool
    let apply: @Sendable (_ value: any Sendable, _ response: HTTPResponse) async throws -> any Sendable

    /// The setting of a call, in the form in which a caller writes it.
    var setting: String { "afterDecoding(\(typeName).self)" }

    /// Makes a change to values of a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - body: Changes the value. Its errors reach the caller unchanged.
    public static func of<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: inout Value) async throws -> Void
    ) -> AfterDecoding {
        of(type) { value, _ in try await body(&value) }
    }

    /// Makes a change to values of a type that depends on the response head.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - body: Changes the value. Its errors reach the caller unchanged.
    public static func of<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: inout Value, _ response: HTTPResponse) async throws -> Void
    ) -> AfterDecoding {
        AfterDecoding(
            typeName: String(describing: type),
            applies: { ChangedType.isIn($0, type) }
        ) { value, response in
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
