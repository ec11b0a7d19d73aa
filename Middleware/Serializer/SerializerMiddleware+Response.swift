import Foundation
import HTTPChainCore
import HTTPTypes

/// A call whose response is decoded.
struct DecodedCall {
    /// The head of the request as sent.
    var request: HTTPRequest
    let context: SerializationContext
    let settings: CallSerialization
    let redaction: Redaction
    let place: (any DecodingPlace)?
    let timer: TransferTimer?
}

extension SerializerMiddleware {
    /// Decodes the response's value and attaches it.
    func decode<Value: Decodable & Sendable>(
        _ response: Response,
        to type: Value.Type,
        for call: DecodedCall
    ) async throws -> Response {
        var response = response
        var call = call
        call.request = response.request ?? call.request
        do {
            let value = try await value(of: &response, as: type, for: call)
            response.options[DecodedValueFact.self] = try await finish(value, response.head, call.settings, call.timer)
            return response
        } catch let error as SerializerError {
            throw error.with(
                ExchangeSnapshot(
                    call.request,
                    response: response.head,
                    attempts: response.attempts,
                    redaction: call.redaction
                )
            )
        }
    }

    private func value<Value: Decodable & Sendable>(
        of response: inout Response,
        as type: Value.Type,
        for decoded: DecodedCall
    ) async throws -> Value {
        let (request, call) = (decoded.request, decoded.settings)
        let isEmpty = response.hasNoContent(answering: request.method)
        if type == EmptyResponse.self || isEmpty, let empty = EmptyContent.value(of: type) { return empty }
        let bytes = isEmpty ? Data() : try await collect(&response, upTo: call.limit ?? limit)
        if bytes.isEmpty, let empty = EmptyContent.value(of: type) { return empty }
        if bytes.isEmpty, call.response == nil, let value = bytes as? Value { return value }
        if bytes.isEmpty, (try? reader(of: response, for: type, call))?.0.decodesEmptyBodies != true {
            throw DecodingFailure(
                type,
                withoutContent: response.head,
                request: request,
                attempts: response.attempts,
                redaction: decoded.redaction
            )
        }
        let serializer: any Serializer
        let path: BodyKeyPath
        do throws(SerializerError) {
            (serializer, path) = try reader(of: response, for: type, call)
        } catch {
            // Whitespace needn't be decoded, regardless of its content type.
            if bytes.isBlank, call.response == nil, let empty = EmptyContent.value(of: type) { return empty }
            throw error
        }
        let contentType = response.headers[.contentType]
        let context = SerializationContext(
            method: decoded.context.method,
            route: decoded.context.route,
            options: decoded.context.options,
            response: response.head,
            contentType: contentType
        )
        @Sendable func read() throws -> Value {
            if path.isWhole { return try serializer.decode(type, from: bytes, in: context) }
            return try serializer.decode(type, at: path, from: bytes, in: context)
        }
        do {
            guard let place = decoded.place else { return try read() }
            return try await Self.run(at: place, decoded.timer) { try read() }
        } catch let error where error is CancellationError || error is SerializerError || error is TimeoutError {
            throw error
        } catch {
            // Any document can be decoded as text, unless the call sets a serializer.
            if PlainTextSerializer.gives(type), path.isWhole, call.response == nil,
                let text = try? PlainTextSerializer().decode(type, from: bytes, contentType: contentType)
            {
                return text
            }
            // Whitespace counts as no content, unless the serializer accepts it, as plain text does.
            if bytes.isBlank, let empty = EmptyContent.value(of: type) { return empty }
            throw DecodingFailure(
                type,
                from: bytes,
                head: response.head,
                cause: error,
                request: request,
                attempts: response.attempts,
                redaction: decoded.redaction
            )
        }
    }

    /// Decodes at the place that the call has chosen.
    ///
    /// If that is busy, waits until the call's deadline.
    private static func run<Value: Sendable>(
        at place: any DecodingPlace,
        _ timer: TransferTimer?,
        _ decoding: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let timer else { return try await place.run(decoding) }
        return try await timer.run { try await place.run(decoding) }
    }

    /// Collects the whole body, which remains readable for outer stages.
    private func collect(_ response: inout Response, upTo limit: ByteCount) async throws -> Data {
        if let coding = response.headers[.contentEncoding], !coding.isEmpty, coding.lowercased() != "identity" {
            throw SerializerError(.contentEncoded(coding))
        }
        do {
            let bytes = try await response.body.collect(upTo: limit)
            if !response.body.isReplayable { response.body = HTTPBody(bytes) }
            return bytes
        } catch let error as BodyError where error.problem == .tooLarge(limit: limit) {
            throw SerializerError(.tooLarge(limit: limit), underlyingError: error)
        }
    }

    private func reader<Value: Decodable & Sendable>(
        of response: Response,
        for type: Value.Type,
        _ call: CallSerialization
    ) throws(SerializerError) -> (any Serializer, BodyKeyPath) {
        if let choice = call.response { return placed(try serializer(choice), call) }
        let contentType = response.headers[.contentType]
        let media = MediaType(contentType)
        let speaker = media.flatMap { self.speaker(of: $0) }
        if RawSerializer.gives(type), speaker == nil || (call.keyPath ?? keyPath).isWhole {
            return (RawSerializer(), .whole)
        }
        if let speaker { return placed(speaker, call) }
        if PlainTextSerializer.gives(type), media != nil, (call.keyPath ?? keyPath).isWhole {
            return (PlainTextSerializer(), .whole)
        }
        guard let first = serializers.first, media == nil || serializers.count == 1 else {
            throw noSerializer(contentType, of: .response)
        }
        return placed(first, call)
    }

    /// Returns the serializer, together with the position of the value.
    private func placed(_ serializer: any Serializer, _ call: CallSerialization) -> (any Serializer, BodyKeyPath) {
        (serializer, call.keyPath ?? (keyPath.isWhole || serializer.hasKeys ? keyPath : .whole))
    }

    private func finish(
        _ value: any Sendable,
        _ response: HTTPResponse,
        _ call: CallSerialization,
        _ timer: TransferTimer?
    ) async throws -> any Sendable {
        var value = value
        for step in afterDecoding + call.afterDecoding {
            if let timer {
                value = try await timer.run { [value] in try await step.apply(value, response) }
            } else {
                value = try await step.apply(value, response)
            }
        }
        return value
    }
}
