public import Foundation
import HTTPChainSupport
public import HTTPTypes

/// The type that the caller wants the response decoded to, for the serializer stage.
package enum ExpectedTypeNote: RequestOption, RequestNote {
    /// No type: the caller wants the response undecoded.
    package static var defaultValue: (any (Decodable & Sendable).Type)? { nil }
}

/// The value that a serializer stage decoded the response to.
///
/// If an optional type was expected and there is no value, this holds that type's nil. The outer optional is nil only
/// if nothing was decoded.
package enum DecodedValueFact: ResponseOption {
    /// Nothing was decoded.
    package static var defaultValue: (any Sendable)? { nil }
}

extension Request {
    /// The type that the caller wants the response decoded to, for a stage that decodes; `nil` if the caller wants the
    /// response undecoded.
    public var expectedType: (any (Decodable & Sendable).Type)? { options[ExpectedTypeNote.self] }
}

extension Response {
    /// The value that a stage decoded the response to; `nil` if no stage has decoded it.
    ///
    /// If an optional type was expected and there is no value, this is that type's `nil`.
    public var decodedValue: (any Sendable)? {
        get { options[DecodedValueFact.self] }
        set { options[DecodedValueFact.self] = newValue }
    }
}

extension Transport {
    /// Sends a request and decodes the response.
    ///
    /// A serializer stage in the chain decodes the body; without one, the body is decoded as JSON. An optional type is
    /// nil for a response without content and for `null`. ``EmptyResponse`` accepts any content, and none.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - type: The type to decode to.
    /// - Throws: Errors of the stages and the transport; ``DecodingFailure`` if the body can't be decoded to the type.
    public func send<Value: Decodable & Sendable>(
        _ request: consuming Request,
        as type: Value.Type
    ) async throws -> Value {
        try await send(request, decoding: type).value
    }

    /// Sends a request, decodes the response, and returns the value together with the response.
    ///
    /// Pagination, entity tags and cache status need the response in addition to the value:
    ///
    /// ```swift
    /// let page = try await chain.send(.get("plants"), decoding: [Plant].self)
    /// print(page.value.count, page.headers[.eTag] ?? "no tag")
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - type: The type to decode to, as for ``send(_:as:)``.
    /// - Throws: The errors of ``send(_:as:)``.
    public func send<Value: Decodable & Sendable>(
        _ request: consuming Request,
        decoding type: Value.Type
    ) async throws -> DecodedResponse<Value> {
        request.options[ExpectedTypeNote.self] = type
        let head = request.head
        let options = request.options
        let time = time(for: request)
        let place = request.options[DecodingPlaceNote.self]
        let response = try await send(request)
        let sent = response.request ?? head
        guard let decoded = response.options[DecodedValueFact.self] else {
            let value = try await response.decode(
                type,
                upTo: .mebibytes(16),
                request: sent,
                time: time,
                redaction: redaction(for: Request(head: sent, options: options))
            ) { bytes in
                guard let place else { return try JSONDecoder().decode(type, received: bytes) }
                return try await place.run { try JSONDecoder().decode(type, received: bytes) }
            }
            return DecodedResponse(value, response: response)
        }
        if let value = decoded as? Value {
            if type == EmptyResponse.self { await response.body.drain(time: time) }
            return DecodedResponse(value, response: response)
        }
        throw DecodingFailure(
            type,
            from: Data(),
            head: response.head,
            detail: "a stage decoded it to \(Swift.type(of: decoded)); make that stage return the requested type",
            request: sent,
            attempts: response.attempts,
            redaction: redaction(for: Request(head: sent, options: options))
        )
    }
}

extension Transport {
    /// Returns the redaction rules of a call: the request's, or the chain's if the request has no environment.
    private func redaction(for request: Request) -> Redaction {
        var request = request
        Chain.fillEnvironment(of: &request, over: self)
        return request.redaction
    }

    /// Returns the clock of a call: the request's, or the chain's if the request has no environment.
    package func time(for request: borrowing Request) -> any TimeSource {
        Chain.time(for: request, over: self)
    }
}

extension Response {
    /// Decodes the body from JSON.
    ///
    /// An optional type is nil if there are no bytes, only white space, or `null`.
    ///
    /// - Parameters:
    ///   - type: The type to decode to.
    ///   - decoder: A decoder with the desired settings.
    ///   - limit: The maximum size of the body. Defaults to 16 MiB.
    /// - Throws: ``DecodingFailure`` if the body can't be decoded to the type; ``BodyError`` if it is too large or was
    ///   already read; errors of reading it.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        decoder: JSONDecoder = JSONDecoder(),
        upTo limit: ByteCount = .mebibytes(16)
    ) async throws -> Value {
        try await decode(type, upTo: limit, request: nil, time: SystemTime(), redaction: redaction) {
            try decoder.decode(type, received: $0)
        }
    }

    fileprivate func decode<Value: Decodable>(
        _ type: Value.Type,
        upTo limit: ByteCount,
        request: HTTPRequest?,
        time: any TimeSource,
        redaction: @autoclosure () -> Redaction,
        by read: (_ bytes: Data) async throws -> Value
    ) async throws -> Value {
        if type == EmptyResponse.self || hasNoContent(answering: request?.method),
            let empty = EmptyContent.value(of: type)
        {
            await body.drain(time: time)
            return empty
        }
        let bytes = try await body.collect(upTo: limit)
        if bytes.isBlank, let empty = EmptyContent.value(of: type) { return empty }
        if bytes.isEmpty {
            throw DecodingFailure(
                type,
                withoutContent: head,
                request: request,
                attempts: attempts,
                redaction: redaction()
            )
        }
        do {
            return try await read(bytes)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw DecodingFailure(
                type,
                from: bytes,
                head: head,
                cause: error,
                request: request,
                attempts: attempts,
                redaction: redaction()
            )
        }
    }

    /// Whether the response has no content, regardless of its fields: RFC 9110 §6.4.1 (HEAD, 204, 304 and others),
    /// §15.3.6 (205).
    ///
    /// - Parameter method: The method of the request, if known.
    package func hasNoContent(answering method: HTTPRequest.Method?) -> Bool {
        head.hasNoContent(answering: method) || body.isEmpty
    }
}

extension DecodingFailure {
    /// Makes the error for a response without content, if the type can't be decoded from it.
    ///
    /// - Parameters:
    ///   - type: The requested type.
    ///   - head: The head of the response.
    ///   - request: The request, if known.
    ///   - attempts: The number of attempts made to get the response, if known.
    ///   - redaction: The redaction rules for the error.
    package init(
        _ type: Any.Type,
        withoutContent head: HTTPResponse,
        request: HTTPRequest? = nil,
        attempts: Int? = nil,
        redaction: Redaction = .standard
    ) {
        self.init(
            type,
            from: Data(),
            head: head,
            detail: "there is no content; request \(type)? or EmptyResponse if that is expected",
            request: request,
            attempts: attempts,
            redaction: redaction
        )
    }
}

extension Request {
    /// Makes a POST request with a value that is immediately encoded as JSON; sets `Content-Type` unless given.
    ///
    /// - Throws: `EncodingError` if the value can't be encoded.
    public static func post(
        _ url: String,
        headers: HTTPFields = [:],
        json value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> Request {
        var request = Request.post(url, headers: headers, body: HTTPBody(try encoder.encode(value)))
        if request.head.headerFields[.contentType] == nil {
            request.head.headerFields[.contentType] = "application/json"
        }
        return request
    }
}
