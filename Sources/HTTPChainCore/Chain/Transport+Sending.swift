public import Foundation
import HTTPChainSupport
public import HTTPTypes

/// The type that the caller wants the response decoded to, for the serializer stage.
public enum ExpectedType: RequestOption {
    /// The caller takes the response as it is.
    public static var defaultValue: (any (Decodable & Sendable).Type)? { nil }
}

/// The value that a serializer stage decoded the response to.
///
/// Where an optional type was expected and there is no value, it holds that type's nil; it is nil itself only where
/// nothing was decoded.
public enum DecodedValue: ResponseOption {
    /// Nothing was decoded.
    public static var defaultValue: (any Sendable)? { nil }
}

extension Transport {
    /// Sends a request and decodes the response.
    ///
    /// A serializer stage in the chain decodes; without one, the body is taken for JSON. An optional type is nil for a
    /// response without content and for `null`; ``EmptyResponse`` takes any content and none.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - type: The type to decode to.
    /// - Throws: What the stages and the transport throw, and ``DecodingFailure`` when the body is not such a value.
    public func send<Value: Decodable & Sendable>(
        _ request: consuming Request,
        as type: Value.Type
    ) async throws -> Value {
        try await send(request, decoding: type).value
    }

    /// Sends a request, decodes the response, and gives the value together with the response.
    ///
    /// Pagination, entity tags and cache status need what stands beside the value:
    ///
    /// ```swift
    /// let page = try await chain.send(.get("plants"), decoding: [Plant].self)
    /// print(page.value.count, page.headers[.eTag] ?? "no tag")
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - type: The type to decode to, as for ``send(_:as:)``.
    /// - Throws: What ``send(_:as:)`` throws.
    public func send<Value: Decodable & Sendable>(
        _ request: consuming Request,
        decoding type: Value.Type
    ) async throws -> DecodedResponse<Value> {
        request.options[ExpectedType.self] = type
        let head = request.head
        let options = request.options
        let time = time(for: request)
        let place = request.options[DecodingPlaceOption.self]
        let response = try await send(request)
        let sent = response.request ?? head
        guard let decoded = response.options[DecodedValue.self] else {
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
            detail: "a stage decoded it to \(Swift.type(of: decoded)); make the stage give the type that is asked for",
            request: sent,
            attempts: response.attempts,
            redaction: redaction(for: Request(head: sent, options: options))
        )
    }
}

extension Transport {
    /// Returns the rules that say what is secret in a call: what the request says, or the chain for a request that
    /// brings no environment.
    private func redaction(for request: Request) -> Redaction {
        var request = request
        (self as? Chain)?.fillEnvironment(of: &request)
        return request.redaction
    }

    /// The clock of a call: that of the request, or of the chain for a request that brings none.
    package func time(for request: borrowing Request) -> any TimeSource {
        if !request.options.contains(EnvironmentOption.self), let environment = (self as? Chain)?.defaultEnvironment {
            return environment.time
        }
        return request.environment.time
    }
}

extension Response {
    /// The body decoded from JSON.
    ///
    /// An optional type is nil if there are no bytes, or white space alone, and for `null`.
    ///
    /// - Parameters:
    ///   - type: The type to decode to.
    ///   - decoder: A decoder with the settings wanted.
    ///   - limit: How large the body may be; 16 MiB by default.
    /// - Throws: ``DecodingFailure`` when the body is not such a value; ``BodyError`` when it is too large or was read
    ///   before; what reading throws.
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

    /// Whether there is no content whatever the fields say: RFC 9110 §6.4.1 (HEAD, 204, 304 and others), §15.3.6 (205).
    ///
    /// - Parameter method: The method of the request, where it is known.
    public func hasNoContent(answering method: HTTPRequest.Method?) -> Bool {
        head.hasNoContent(answering: method) || body.isEmpty
    }
}

extension DecodingFailure {
    /// Makes the error for a response without content, where the type has no value for that.
    ///
    /// - Parameters:
    ///   - type: The type wanted.
    ///   - head: The head of the response.
    ///   - request: The request as it stood, where it is known.
    ///   - attempts: How many attempts led to the response, where that is known.
    ///   - redaction: What counts as a secret in the error.
    public init(
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
            detail: "there is no content; ask for \(type)? or EmptyResponse where that is as it should be",
            request: request,
            attempts: attempts,
            redaction: redaction
        )
    }
}

extension Request {
    /// A POST request with a value encoded as JSON at once; `Content-Type` is set unless given.
    ///
    /// - Throws: `EncodingError` when the value cannot be encoded.
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
