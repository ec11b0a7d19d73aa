public import HTTPChainCore

/// A change to a request once its value of one type has been written, such as naming its revision in a field.
///
/// ```swift
/// SerializerMiddleware(.json, afterEncoding: [
///     .of(Order.self) { order, request in request.headers[.ifMatch] = order.revision }
/// ])
/// ```
public struct AfterEncoding: Sendable {
    /// The type's name.
    public let typeName: String
    let apply: @Sendable (_ value: any Sendable, _ request: Request) async throws -> Request

    /// Changes requests that were made of values of a type, or of arrays of it.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - body: Is given the value, and the request with the bytes in its body; what it throws reaches the caller
    ///     unchanged.
    public static func of<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: Value, _ request: inout Request) async throws -> Void
    ) -> AfterEncoding {
        AfterEncoding(typeName: String(describing: type)) { value, request in
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
    /// The request with more to do to it once its value has been written, after what the stage does.
    public consuming func afterEncoding<Value: Sendable>(
        _ type: Value.Type,
        _ body: @escaping @Sendable (_ value: Value, _ request: inout Request) async throws -> Void
    ) -> Request {
        serialization.afterEncoding.append(.of(type, body))
        return self
    }
}
