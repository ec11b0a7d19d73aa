public import Foundation
public import HTTPChainCore
public import HTTPChainSerializer
import HTTPTypes

/// A way to make the output of a typed call from its response.
///
/// For most types of output the right one is found by itself; see ``TypedRequest/result``. A type of your own that is
/// not what the server sends says how it is made of that:
///
/// ```swift
/// struct GetPlant: TypedRequest {
///     var path: String { "plants/7" }
///     var result: ResultKind<Plant> { .decoded(PlantRecord.self) { try Plant($0) } }
/// }
/// ```
///
/// Decoding, also that of a serializer stage inside the chain, and mapping are done where ``Client`` or the call says
/// with ``ResultProcessing``.
public struct ResultKind<Output: Sendable>: Sendable {
    let perform: @Sendable (consuming Request, any Transport, ResultProcessing) async throws -> CallResult<Output>
    /// Gives the call's place to what is still arriving.
    var keep: (@Sendable (CallResult<Output>, CallPlace) -> CallResult<Output>)?

    init(
        _ perform:
            @escaping @Sendable (consuming Request, any Transport, ResultProcessing) async throws
            -> CallResult<Output>
    ) {
        self.perform = perform
    }

    /// A kind that reads the response itself.
    ///
    /// - Parameter read: Makes the output of the response, on the concurrent pool.
    public static func custom(
        _ read: @escaping @Sendable (_ response: Response) async throws -> Output
    ) -> ResultKind {
        ResultKind { request, transport, _ in
            let response = try await transport.send(request)
            return CallResult(try await read(response), response: response)
        }
    }

    /// A kind that reads all bytes of the body and makes the output of them.
    ///
    /// - Parameters:
    ///   - limit: How large the body may be; 16 MiB by default.
    ///   - map: Makes the output of the bytes and the response that they came in.
    public static func bytes(
        upTo limit: ByteCount = .mebibytes(16),
        map: @escaping @Sendable (_ bytes: Data, _ response: Response) throws -> Output
    ) -> ResultKind {
        ResultKind { request, transport, processing in
            let response = try await transport.send(request)
            let bytes = try await response.body.collect(upTo: limit)
            return CallResult(try await processing.run { try map(bytes, response) }, response: response)
        }
    }

    /// A kind that decodes one type and makes the output of it.
    ///
    /// - Parameters:
    ///   - type: What the server sends; decoded by the chain's serializer, or without one from JSON.
    ///   - map: Makes the output of it.
    public static func decoded<Wire: Decodable & Sendable>(
        _ type: Wire.Type,
        map: @escaping @Sendable (_ value: Wire) throws -> Output
    ) -> ResultKind {
        ResultKind { request, transport, processing in
            let decoded = try await transport.send(request, decoding: Wire.self)
            let value = try await processing.run { try map(decoded.value) }
            return CallResult(value, response: decoded.response)
        }
    }

    /// A kind that decodes one type and makes the output of it and the response that it came in.
    package static func decodedWithResponse<Wire: Decodable & Sendable>(
        _ type: Wire.Type,
        map: @escaping @Sendable (_ value: Wire, _ response: Response) throws -> Output
    ) -> ResultKind {
        ResultKind { request, transport, processing in
            let decoded = try await transport.send(request, decoding: Wire.self)
            let value = try await processing.run { try map(decoded.value, decoded.response) }
            return CallResult(value, response: decoded.response)
        }
    }

    /// The kind whose output is made of this one's.
    ///
    /// - Parameter transform: Makes the new output of that of this kind.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (_ output: Output) throws -> Other
    ) -> ResultKind<Other> {
        let perform = perform
        return ResultKind<Other> { request, transport, processing in
            let result = try await perform(request, transport, processing)
            let value = try await processing.run { try transform(result.value) }
            return CallResult(value, response: result.response)
        }
    }
}

extension ResultKind where Output: Decodable {
    /// The value that the chain's serializer decodes; without one, the body as JSON.
    ///
    /// An optional type is nil where there is no content.
    public static var decoded: ResultKind {
        ResultKind { request, transport, _ in
            CallResult(try await transport.send(request, decoding: Output.self))
        }
    }
}

extension ResultKind where Output == Void {
    /// No result: whatever content comes is discarded.
    public static var nothing: ResultKind {
        ResultKind { request, transport, _ in
            let response = try await transport.send(request)
            if response.body.hasTransfer { await response.body.drain(time: transport.time(for: request)) }
            return CallResult((), response: response)
        }
    }
}

extension ResultKind where Output == Data {
    /// The bytes of the body, up to 16 MiB.
    public static var data: ResultKind { .bytes { bytes, _ in bytes } }
}

extension ResultKind where Output == String {
    /// The body as text, up to 16 MiB: in the charset that its `Content-Type` names, else UTF-8.
    public static var text: ResultKind {
        .bytes { bytes, response in try response.text(of: bytes) }
    }
}

extension ResultKind where Output == Data? {
    /// The bytes of the body, up to 16 MiB; `nil` where there is no content.
    public static var data: ResultKind { .bytes { bytes, _ in bytes.isEmpty ? nil : bytes } }
}

extension ResultKind where Output == String? {
    /// The body as text, up to 16 MiB; `nil` where there is no content.
    public static var text: ResultKind {
        .bytes { bytes, response in bytes.isEmpty ? nil : try response.text(of: bytes) }
    }
}

extension ResultKind where Output == TemporaryFile {
    /// The body in a file, which is deleted with the last reference to it unless it is moved.
    public static var file: ResultKind { .file(in: FileManager.default.temporaryDirectory) }

    /// The body in a file of a directory of yours, best on the volume that the file is moved to.
    ///
    /// - Parameters:
    ///   - directory: Where.
    ///   - limit: How large the body may be; no limit by default.
    public static func file(in directory: URL, upTo limit: ByteCount = .unlimited) -> ResultKind {
        .custom { try await $0.body.saveToTemporaryFile(in: directory, upTo: limit) }
    }
}

extension ResultKind where Output == URL {
    /// The body in a file of yours, which is complete or as it was before.
    ///
    /// - Parameters:
    ///   - file: The file; its directory must exist.
    ///   - limit: How large the body may be; no limit by default.
    public static func saved(to file: URL, upTo limit: ByteCount = .unlimited) -> ResultKind {
        .custom {
            try await $0.body.save(to: file, upTo: limit)
            return file
        }
    }
}

extension ResultKind where Output == HTTPBody {
    /// The body as it arrives; the call goes on until it was read or dropped.
    public static var stream: ResultKind {
        var kind = ResultKind.custom(\.body)
        kind.keep = { result, place in
            let response = result.response.keeping(place)
            return CallResult(response.body, response: response)
        }
        return kind
    }
}

extension ResultKind where Output == Response {
    /// The response as it comes; the call goes on until its body was read or dropped.
    public static var response: ResultKind {
        var kind = ResultKind.custom { $0 }
        kind.keep = { result, place in
            let response = result.response.keeping(place)
            return CallResult(response, response: response)
        }
        return kind
    }
}

extension ResultKind {
    /// Values of JSON, decoded as they arrive: one in each line, or a JSON sequence (RFC 7464) where the type of the
    /// content is `application/json-seq`.
    ///
    /// The call goes on until they were read or dropped.
    ///
    /// - Parameters:
    ///   - serializer: How keys and dates are written.
    ///   - limit: How long one value may be; 1 MiB by default.
    public static func jsonValues<Value: Decodable & Sendable>(
        serializer: JSONSerializer = .json,
        upTo limit: ByteCount = .mebibytes(1)
    ) -> ResultKind where Output == JSONValues<Value> {
        var kind = ResultKind.custom { $0.jsonValues(of: Value.self, serializer, upTo: limit) }
        kind.keep = { result, place in
            let response = result.response.keeping(place)
            return CallResult(response.jsonValues(of: Value.self, serializer, upTo: limit), response: response)
        }
        return kind
    }

    /// A resource with what its service says of it beside its value.
    ///
    /// Its `result` throws ``ResourceError`` for a status other than 2xx that the chain accepted.
    public static func record<Kind: Resource>() -> ResultKind where Output == ResourceRecord<Kind> {
        .resource { try ResourceRecord($0, in: $1) }
    }
}

extension Response {
    fileprivate func jsonValues<Value: Decodable>(
        of type: Value.Type,
        _ serializer: JSONSerializer,
        upTo limit: ByteCount
    ) -> JSONValues<Value> {
        MediaType(headers[.contentType])?.essence == "application/json-seq"
            ? body.jsonSequence(of: type, serializer: serializer, limit: limit)
            : body.jsonLines(of: type, serializer: serializer, lineLimit: limit)
    }

    /// Bytes as text, in the charset that the content's type names.
    package func text(of bytes: Data) throws -> String {
        try PlainTextSerializer().decode(String.self, from: bytes, contentType: headers[.contentType])
    }
}
