import Foundation
public import HTTPChainCore
import HTTPTypes

/// Encodes typed values as request bodies, and decodes responses as typed values.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     SerializerMiddleware(.json(keys: .snakeCase, dates: .iso8601), .form, .text)
///     StatusValidationMiddleware()
/// }
/// let request = Request.get("https://api.example.com/plants").decoding(at: "data.items")
/// let plants = try await chain.send(request, as: [Plant].self)
/// let added = try await chain.send(.post("https://api.example.com/plants", body: .value(draft)), as: Plant.self)
/// let none = try await chain.send(.get("https://api.example.com/plants/0"), as: Plant?.self)   // 204: nil
/// ```
///
/// **Requests.** A body that is a value (`HTTPBody.value`) is encoded by the serializer that the call chooses,
/// otherwise by the one for the call's `Content-Type`, and otherwise by the first. `Content-Type` is set unless
/// present. A form is added to the query of a GET, HEAD or DELETE request. Other bodies are left unchanged. With such a
/// body, settings of the call that apply only to values cause an error.
///
/// **Responses.** If a type is expected (`send(_:as:)`), `Accept` is set unless present. The response is decoded by the
/// serializer that the call chooses, or otherwise by the one with the most specific match for its `Content-Type`. A
/// response without `Content-Type` is decoded by the first serializer, and a stage with a single serializer uses it for
/// all responses. If `Data` is expected, the result is the unchanged content, unless there is a key path. If a `String`
/// is expected and the content doesn't decode to one, the result is the content's text in its charset, such as a whole
/// JSON document.
///
/// **No content.** A 204, 205 or 304, a response to HEAD, and an empty body are decoded as `nil` for an optional type
/// and as an `EmptyResponse` for that type. For other types, they cause a `DecodingFailure`.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/decode``: outside status validation, so that only accepted responses are
/// decoded.
///
/// **Options.** The methods of `Request` in this module.
///
/// **Errors.** ``SerializerError`` and `DecodingFailure`; rethrows errors from closures after decoding.
public struct SerializerMiddleware: BuiltInStage {
    private(set) var serializers: [any Serializer]
    let keyPath: BodyKeyPath
    let rootKey: BodyKeyPath
    let encodesNilAsNull: Bool
    let limit: ByteCount
    let afterDecoding: [AfterDecoding]
    let afterEncoding: [AfterEncoding]

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - serializers: The serializers. The first is the default for encoding.
    ///   - keyPath: The position of values in responses; the whole response by default.
    ///   - rootKey: The keys under which request values are nested; none by default.
    ///   - encodesNilAsNull: Whether `nil` properties are encoded as null; by default, they are omitted.
    ///   - limit: The maximum size of a response to decode; 16 MiB by default.
    ///   - afterDecoding: The changes to decoded values, in order.
    ///   - afterEncoding: The changes to requests after their values have been encoded, in order.
    public init(
        _ serializers: any Serializer...,
        keyPath: BodyKeyPath = "",
        rootKey: BodyKeyPath = "",
        encodesNilAsNull: Bool = false,
        limit: ByteCount = .mebibytes(16),
        afterDecoding: [AfterDecoding] = [],
        afterEncoding: [AfterEncoding] = []
    ) {
        self.serializers = serializers
        self.keyPath = keyPath
        self.rootKey = rootKey
        self.encodesNilAsNull = encodesNilAsNull
        self.limit = limit
        self.afterDecoding = afterDecoding
        self.afterEncoding = afterEncoding
    }

    package init(_ serializers: [any Serializer]) {
        self.init()
        self.serializers = serializers
    }

    package var stagePhase: Phase { .decode }
    package var stageOptions: [any RequestOption.Type] { [SerializationOption.self] }

    /// The serializers, and the settings that differ from the defaults.
    package var stageSummary: StageSummary {
        func names(_ types: [String]) -> String? { types.isEmpty ? nil : types.joined(separator: ", ") }
        return StageSummary(
            "SerializerMiddleware",
            purpose: "turns values into bytes and back",
            settings: ["serializers": serializers.map(\.name).joined(separator: ", "), "limit": "\(limit)"]
        )
        .adding("key path", keyPath.isWhole ? nil : "\(keyPath)")
        .adding("root key", rootKey.isWhole ? nil : "\(rootKey)")
        .adding("nil", encodesNilAsNull ? "null" : nil)
        .adding("after decoding", names(afterDecoding.map(\.typeName)))
        .adding("after encoding", names(afterEncoding.map(\.typeName)))
    }

    /// Reports a stage without serializers, and names shared by two serializers.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        guard !serializers.isEmpty else {
            return [
                ChainProblem(
                    stage: summary.name,
                    problem: "SerializerMiddleware has no serializer",
                    fix: "give it one, such as SerializerMiddleware(.json)"
                )
            ]
        }
        var seen: Set<String> = []
        return serializers.map(\.name).filter { !seen.insert($0).inserted }.map { name in
            ChainProblem(
                stage: summary.name,
                problem: "SerializerMiddleware has two serializers named \(name.debugDescription)",
                fix: "remove one, or give each a name of its own"
            )
        }
    }

    /// Encodes the request's body, passes the request on, and decodes the response's body.
    ///
    /// - Throws: ``SerializerError``; `DecodingFailure`; errors from closures after decoding and from the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard needsSerializer(request) else { return try await next(request) }
        let call = request.serialization
        try checkSettings(of: request, for: call)
        guard !call.isOff else { return try await next(request) }
        if request.body.value != nil {
            try encodeBody(of: &request, for: call)
            let steps = afterEncoding + call.afterEncoding
            if !steps.isEmpty, let value = request.options[EncodedValueNote.self] {
                let given = request.options
                for step in steps {
                    let current = request
                    request = try await current.withinDeadline { try await step.apply(value, current) }
                }
                try next.refuseLateOptions(of: request, setBy: "SerializerMiddleware", after: given)
            }
        }
        if request.options[ValueEncoderWantedNote.self] {
            request.options[ValueEncoderNote.self] = valueEncoder(for: request, call)
        }
        guard let type = request.options[ExpectedTypeNote.self] else { return try await next(request) }
        if !request.head.headerFields.contains(.accept), let accept = try acceptedTypes(type, for: call) {
            request.head.headerFields[.accept] = accept
        }
        // Closures and custom places for decoding may take any amount of time, up to the call's deadline.
        let place = request.options[DecodingPlaceNote.self]
        let isTimed = place != nil || !afterDecoding.isEmpty || !call.afterDecoding.isEmpty
        let decoded = DecodedCall(
            request: request.head,
            context: SerializationContext(method: request.method, route: request.url, options: request.options),
            settings: call,
            redaction: request.redaction,
            place: place,
            timer: isTimed ? request.callTimer : nil
        )
        let response = try await next(request)
        // An inner serializer has already decoded the response.
        guard response.options[DecodedValueFact.self] == nil else { return response }
        return try await decode(response, to: type, for: decoded)
    }

    /// Returns whether a request has a value to encode, a type to decode, or settings.
    ///
    /// Most other requests need no checks.
    private func needsSerializer(_ request: borrowing Request) -> Bool {
        let options = request.options
        return request.body.hasValue || options.contains(ExpectedTypeNote.self)
            || options.contains(SerializationOption.self) || options.contains(ValueEncoderWantedNote.self)
    }

    func serializer(_ choice: CallSerialization.Choice) throws(SerializerError) -> any Serializer {
        switch choice {
        case .serializer(let serializer): return serializer
        case .named(let name):
            if let serializer = serializers.first(where: { $0.name == name }) { return serializer }
            throw SerializerError(.unknownName(name, available: serializers.map(\.name)))
        }
    }

    func noSerializer(_ type: String?, of message: SerializerError.Message) -> SerializerError {
        SerializerError(
            .noSerializer(
                contentType: type,
                of: message,
                available: serializers.map { "\($0.name) (\($0.acceptedTypes.joined(separator: ", ")))" }
            )
        )
    }

    /// Returns the acceptable types in the order of the serializers, or `nil` if all types are acceptable.
    private func acceptedTypes(
        _ type: any (Decodable & Sendable).Type,
        for call: CallSerialization
    ) throws(SerializerError) -> String? {
        var speakers = serializers
        if let choice = call.response {
            speakers = [try serializer(choice)]
        } else if RawSerializer.gives(type) {
            return nil
        }
        // RFC 9110 §12.5.1 defines the range text/*, but not application/*+json.
        let ranges = speakers.flatMap { $0.acceptedTypes.filter { $0.ends(with: "/*") } }
        var types: [String] = []
        for essence in speakers.compactMap({ MediaType($0.contentType)?.essence }) + ranges
        where !types.contains(essence) {
            types.append(essence)
        }
        if call.response == nil, PlainTextSerializer.gives(type), !types.contains("text/*") { types.append("text/*") }
        return types.enumerated().map { index, type in
            index == 0 ? type : "\(type);q=0.\(max(1, 10 - index))"
        }.joined(separator: ", ")
    }
}

extension RawSerializer {
    static func gives(_ type: any (Decodable & Sendable).Type) -> Bool { type == Data.self || type == Data?.self }
}

extension PlainTextSerializer {
    static func gives(_ type: any (Decodable & Sendable).Type) -> Bool { type == String.self || type == String?.self }
}
