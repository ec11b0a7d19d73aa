public import HTTPChainCore

/// A change to a request after its value of one type was encoded, such as sending the value's revision in a field.
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

    /// The setting of a call, as a caller writes it.
    var setting: String { "afterEncoding(\(typeName).self)" }

    /// Makes a change to requests whose value is of a type, or an array of it.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - body: Receives the value and changes the request, whose body contains the bytes; its errors reach the caller
    ///     unchanged.
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
    /// Returns the request with another change after its value was encoded, following the stage's own changes.
    ///
    /// - Parameters:
    ///   - type: The type of the value, or of its elements; another type throws ``SerializerError`` before the request
    ///     is sent.
    ///   - body: Receives the value and changes the request, whose body contains the bytes; its errors reach the caller
    ///     unchanged.
    public consuming func afterEncoding<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: Value, _ request: inout Request) async throws -> Void
    ) -> Request {
        serialization.afterEncoding.append(.of(type, body))
        return self
    }
}
