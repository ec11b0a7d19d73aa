public import HTTPChainCore

/// A change to a request after a value of one type has been encoded, such as sending the value's revision in a field.
///
/// ```swift
/// SerializerMiddleware(.json, afterEncoding: [
///     .of(Order.self) { order, request in request.headers[.ifMatch] = order.revision }
/// ])
/// ```
public struct AfterEncoding: Sendable {
    /// The type's name.
    package let typeName: String
    /// Returns whether values of a type, or their elements, can be changed.
    let applies: @Sendable (_ type: Any.Type) -> Bool
    let apply: @Sendable (_ value: any Sendable, _ request: Request) async throws -> Request

    /// The setting of a call, in the form in which a caller writes it.
    var setting: String { "afterEncoding(\(typeName).self)" }

    /// Makes a change to requests whose value is of a type, or an array of that type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - body: Receives the value and changes the request, whose body contains the encoded bytes. Its errors reach
    ///     the caller unchanged.
    public static func of<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: Value, _ request: inout Request) async throws -> Void
    ) -> AfterEncoding {
        AfterEncoding(
            typeName: String(describing: type),
            applies: { ChangedType.isIn($0, type) }
        ) { value, request in
            var request = request
            if let single = value as? Value {
                try await body(single, &request)
            } else if let array = value as? [Value] {
                for element in array { try await body(element, &request) }
            }
            return request
        }
    }
}

extension Request {
    /// Returns the request with another change after its value has been encoded.
    ///
    /// It follows the stage's own changes.
    ///
    /// - Parameters:
    ///   - type: The type of the value, or of its elements. If the value has another type, ``SerializerError`` is
    ///     thrown before the request is sent.
    ///   - body: Receives the value and changes the request, whose body contains the encoded bytes. Its errors reach
    ///     the caller unchanged.
    public consuming func afterEncoding<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: Value, _ request: inout Request) async throws -> Void
    ) -> Request {
        serialization.afterEncoding.append(.of(type, body))
        return self
    }
}
