public import Foundation
public import HTTPChainCore
public import HTTPChainSerializer
import HTTPChainURLBuilder
import HTTPTypes

/// A way to make the output of a typed call from its response.
///
/// For most output types the right kind is chosen automatically; see ``TypedRequest/result``. If your output type isn't
/// the type that the server sends, map it:
///
/// ```swift
/// struct GetPlant: TypedRequest {
///     var path: String { "plants/7" }
///     var result: ResultKind<Plant> { .decoded(PlantRecord.self) { try Plant($0) } }
/// }
/// ```
///
/// Decoding (including by a serializer stage in the chain) and mapping happen in the ``ResultProcessing`` of the call
/// or its ``Client``.
public struct ResultKind<Output: Sendable>: Sendable {
    let perform: @Sendable (consuming Request, any Transport, ResultProcessing) async throws -> CallResult<Output>
    /// A closure that attaches the call's place in the registry to a body that is still arriving.
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
    /// A request can't have a key path, a change to the decoded value, or a serializer for the response with this kind,
    /// because nothing is decoded. The result then throws a `SerializerError`.
    ///
    /// - Parameter read: A closure that makes the output from the response, on the concurrent pool.
    public static func custom(
        _ read: @escaping @Sendable (_ response: Response) async throws -> Output
    ) -> ResultKind {
        custom(hasSerializer: false, read)
    }

    /// - Parameter hasSerializer: Whether the closure decodes with the serializer of the request.
    private static func custom(
        hasSerializer: Bool,
        _ read: @escaping @Sendable (_ response: Response) async throws -> Output
    ) -> ResultKind {
        ResultKind { request, transport, _ in
            let usesSerializer = hasSerializer || request.body.value != nil
            try request.serialization.checkUndecoded(Output.self, usesSerializer: usesSerializer)
            let response = try await transport.send(request)
            return CallResult(try await read(response), response: response)
        }
    }

    /// A kind that reads the whole body and makes the output from its bytes.
    ///
    /// The result throws a `SerializerError` for the same requests as ``custom(_:)``.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of the body, unless the request has a limit for decoding; 16 MiB by default.
    ///   - map: A closure that makes the output from the bytes and their response.
    public static func bytes(
        upTo limit: ByteCount = .mebibytes(16),
        map: @escaping @Sendable (_ bytes: Data, _ response: Response) throws -> Output
    ) -> ResultKind {
        ResultKind { request, transport, processing in
            let call = request.serialization
            try call.checkUndecoded(Output.self, usesSerializer: request.body.value != nil)
            let limit = call.limit ?? limit
            let response = try await transport.send(request)
            let bytes = try await response.body.collect(upTo: limit)
            return CallResult(try await processing.run { try map(bytes, response) }, response: response)
        }
    }

    /// A kind that decodes one type and makes the output from it.
    ///
    /// - Parameters:
    ///   - type: The type that the server sends, decoded by the chain's serializer, or from JSON if there is none.
    ///   - map: A closure that makes the output from the decoded value.
    public static func decoded<Wire: Decodable & Sendable>(
        _ type: Wire.Type,
        map: @escaping @Sendable (_ value: Wire) throws -> Output
    ) -> ResultKind {
        decodedWithResponse(type) { value, _ in try map(value) }
    }

    /// A kind that decodes one type and makes the output from the value and its response.
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

    /// Returns a kind that transforms the output of this one.
    ///
    /// - Parameter transform: A closure that makes the new output from this kind's output.
    package func map<Other: Sendable>(
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

extension ResultKind {
    /// Returns this kind for requests that specify how their response is decoded, and another kind for others.
    func ifDescribed(otherwise other: ResultKind) -> ResultKind {
        let (decode, read) = (perform, other.perform)
        return ResultKind { request, transport, processing in
            guard request.serialization.describesDecoding else { return try await read(request, transport, processing) }
            return try await decode(request, transport, processing)
        }
    }
}

extension ResultKind where Output: Decodable {
    /// The value decoded by the chain's serializer, or from JSON if there is none.
    ///
    /// An optional is `nil` if there is no content.
    package static var decoded: ResultKind {
        ResultKind { request, transport, _ in
            CallResult(try await transport.send(request, decoding: Output.self))
        }
    }

    /// The default kind: bytes and text are unchanged, and everything else is decoded.
    static var natural: ResultKind {
        let kind: Any? =
            if Output.self == String.self {
                ResultKind<String>.text
            } else if Output.self == Data.self {
                ResultKind<Data>.data
            } else if Output.self == String?.self {
                ResultKind<String?>.text
            } else if Output.self == Data?.self {
                ResultKind<Data?>.data
            } else {
                nil
            }
        return kind as? ResultKind ?? .decoded
    }

    /// An output made from the bytes, up to 16 MiB, or decoded if the request specifies how.
    fileprivate static func decodedOrBytes(
        map: @escaping @Sendable (_ bytes: Data, _ response: Response) throws -> Output
    ) -> ResultKind {
        decoded.ifDescribed(otherwise: .bytes(map: map))
    }
}

extension ResultKind where Output == Void {
    /// No result: any content is discarded.
    package static var nothing: ResultKind {
        ResultKind { request, transport, _ in
            let response = try await transport.send(request)
            if response.body.hasTransfer { await response.body.drain(time: transport.time(for: request)) }
            return CallResult((), response: response)
        }
    }
}

extension ResultKind where Output == Data {
    /// The bytes of the body, up to 16 MiB, or the decoded value if the request has a key path or a serializer for the
    /// response.
    package static var data: ResultKind { .decodedOrBytes { bytes, _ in bytes } }
}

extension ResultKind where Output == String {
    /// The body as text, up to 16 MiB, in the charset of its `Content-Type`, or else UTF-8.
    ///
    /// It is the decoded value if the request has a key path or a serializer for the response.
    package static var text: ResultKind {
        .decodedOrBytes { bytes, response in try response.text(of: bytes) }
    }
}

extension ResultKind where Output == Data? {
    /// The bytes of the body, up to 16 MiB, or the decoded value as for `Data`; `nil` if there is no content.
    package static var data: ResultKind { .decodedOrBytes { bytes, _ in bytes.isEmpty ? nil : bytes } }
}

extension ResultKind where Output == String? {
    /// The body as text, up to 16 MiB, or the decoded value as for `String`; `nil` if there is no content.
    package static var text: ResultKind {
        .decodedOrBytes { bytes, response in bytes.isEmpty ? nil : try response.text(of: bytes) }
    }
}

extension ResultKind where Output == TemporaryFile {
    /// The body in a temporary file, which is deleted when the last reference to it is released, unless it has been
    /// moved.
    package static var file: ResultKind { .file(in: FileManager.default.temporaryDirectory) }

    /// The body in a temporary file in a given directory, ideally on the volume that the file will be moved to.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - limit: The maximum size of the body; no limit by default.
    public static func file(in directory: URL, upTo limit: ByteCount = .unlimited) -> ResultKind {
        .custom { try await $0.body.saveToTemporaryFile(in: directory, upTo: limit) }
    }
}

extension ResultKind where Output == URL {
    /// The body, saved to a given file.
    ///
    /// If the call fails, the file is unchanged.
    ///
    /// - Parameters:
    ///   - file: The file; its directory must exist.
    ///   - limit: The maximum size of the body; no limit by default.
    public static func saved(to file: URL, upTo limit: ByteCount = .unlimited) -> ResultKind {
        .custom {
            try await $0.body.save(to: file, upTo: limit)
            return file
        }
    }
}

extension ResultKind where Output == HTTPBody {
    /// The body as it arrives; the call runs until the body is read or dropped.
    package static var stream: ResultKind {
        .arriving(\.body)
    }
}

extension ResultKind where Output == Response {
    /// The response as it arrives; the call runs until its body is read or dropped.
    package static var response: ResultKind {
        .arriving { $0 }
    }
}

extension ResultKind {
    /// JSON values, decoded as they arrive: one per line, or a JSON sequence (RFC 7464) if the content type is
    /// `application/json-seq`.
    ///
    /// The call runs until the values are read or dropped.
    ///
    /// - Parameters:
    ///   - serializer: The serializer, with its settings for keys and dates.
    ///   - limit: The maximum size of a single value; 1 MiB by default.
    public static func jsonValues<Value: Decodable & Sendable>(
        serializer: JSONSerializer = .json,
        upTo limit: ByteCount = .mebibytes(1)
    ) -> ResultKind where Output == JSONValues<Value> {
        .arriving(hasSerializer: true) { $0.jsonValues(of: Value.self, serializer, upTo: limit) }
    }

    /// A kind whose output arrives while its response is read; the call runs until that ends.
    fileprivate static func arriving(
        hasSerializer: Bool = false,
        _ output: @escaping @Sendable (_ response: Response) -> Output
    ) -> ResultKind {
        var kind = custom(hasSerializer: hasSerializer) { output($0) }
        kind.keep = { result, place in
            let response = result.response.keeping(place)
            return CallResult(output(response), response: response)
        }
        return kind
    }

    /// A resource, with its undeclared properties and its version.
    ///
    /// If the object lacks the property for the last variable of the path, the value is taken from the request with
    /// that path, or from `Location` after the object's creation.
    ///
    /// The result throws ``ResourceError`` for a status other than 2xx that the chain accepted.
    public static func record<Kind: Resource>() -> ResultKind where Output == ResourceRecord<Kind> {
        let perform = ResultKind.resource { try ResourceRecord($0, in: $1) }.perform
        return ResultKind { request, transport, processing in
            let (target, variables) = (request.url, request.urlArguments.path)
            let place = (try? ResourcePath(Kind.path)).flatMap { ResourcePlace($0, target: target, variables) }
            let result = try await perform(request, transport, processing)
            guard let place else { return result }
            return CallResult(place.locating(result.value, result.response), response: result.response)
        }
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

    /// Decodes bytes as text, in the charset of the content type.
    package func text(of bytes: Data) throws -> String {
        try PlainTextSerializer().decode(String.self, from: bytes, contentType: headers[.contentType])
    }
}
