public import HTTPChainCore

/// The error for a value that can't be encoded, or for a response that can't be decoded at all.
///
/// If the body was decoded but isn't the expected value, the error is `DecodingFailure`.
public struct SerializerError: ExplainedError {
    /// The body to which the error applies.
    public enum Message: String, Sendable, Hashable {
        /// The request's body.
        case request
        /// The response's body.
        case response
    }

    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// No serializer supports the media type; `nil` if the message has none.
        case noSerializer(contentType: String?, of: Message, available: [String])
        /// The call chooses a serializer by an unknown name.
        case unknownName(String, available: [String])
        /// The call has settings that can't be applied, because its body isn't a value to encode, or the stage doesn't
        /// decode its response.
        ///
        /// They are in the form in which a caller writes them.
        case unusedSettings([String], of: Message)
        /// The call has a change to values of one type, but its value and the elements of its value have another type.
        ///
        /// The setting is in the form in which a caller writes it.
        case otherType(String, setting: String, of: Message)
        /// The value can't be encoded in the format.
        case notEncodable(type: String, serializer: String, codingPath: String, detail: String)
        /// The key path contains a key that doesn't exist at its position.
        case keyPathMissing(key: String, path: BodyKeyPath, place: BodyKeyPath, available: [String])
        /// The call has a setting for decoding its response, but the type of its result isn't decoded.
        case notDecoded(type: String, setting: String)
        /// The response's body is larger than the limit.
        case tooLarge(limit: ByteCount)
        /// The response's body is still compressed or otherwise encoded.
        case contentEncoded(String)
        /// The character encoding is unknown.
        case unknownCharset(String)
        /// The bytes are invalid in this character encoding, or the encoding lacks characters for the text.
        case notInCharset(String)
        /// A line of a stream isn't a valid value.
        ///
        /// Lines are counted from 1.
        case invalidLine(Int, type: String, codingPath: String, detail: String)
        /// A line of a stream is longer than the limit.
        ///
        /// Lines are counted from 1.
        case lineTooLong(Int, limit: ByteCount)
    }

    /// The problem.
    public let problem: Problem
    /// The request and the head of the response, redacted.
    package let failedExchange: ExchangeSnapshot?
    /// The coder's error.
    ///
    /// It may quote values, so it isn't included in ``description``.
    package let cause: (any Error)?

    package init(_ problem: Problem, exchange: ExchangeSnapshot? = nil, underlyingError: (any Error)? = nil) {
        self.problem = problem
        failedExchange = exchange
        cause = underlyingError
    }

    /// Always "SerializerMiddleware".
    package var failedStage: String { "SerializerMiddleware" }

    package var explanation: Explanation {
        switch problem {
        case .noSerializer(let type, let message, let available):
            Explanation(
                "there is no serializer for the \(message) \(type.map { "of type \($0)" } ?? "without Content-Type")",
                "there are \(Self.list(available)); add one to SerializerMiddleware, or choose one for the call with "
                    + (message == .request ? "encoding(by:)" : "decoding(by:)")
            )
        case .unknownName(let name, let available):
            Explanation("there is no serializer named \(name.debugDescription)", "there are \(Self.list(available))")
        case .unusedSettings(let names, of: .request):
            Explanation(
                "the body of the request isn't a value to encode, so \(names.joined(separator: ", ")) would have no "
                    + "effect",
                "give the request a value to encode, with body: .value(_:), or remove the setting"
            )
        case .unusedSettings(let names, of: .response):
            Explanation(
                "the serializer stage doesn't decode the response, which is a stream of events or that of a call without "
                    + "serialization, so \(names.joined(separator: ", ")) would have no effect",
                "decode events with a decoder: of your own, remove serializer(false), or remove the setting"
            )
        case .otherType(let type, let setting, let message):
            Explanation(
                "the value of the \(message) is of the type \(type), so \(setting) would have no effect",
                "name the type of the value, or of its elements, or remove the setting"
            )
        case .notEncodable(let type, let serializer, let path, let detail):
            Explanation(
                "a value of type \(type) cannot be written as \(serializer)"
                    + "\(path.isEmpty ? "" : " (at \(path))"): \(detail)"
            )
        case .keyPathMissing(let key, let path, let place, let available):
            Explanation(
                "the key path \"\(path)\" ends early: there is no key \"\(key)\" "
                    + (place.isWhole ? "at the top of the body" : "at \(place)")
                    + (available.isEmpty ? ", which is empty" : ", there are \(Self.list(available))")
            )
        case .notDecoded(let type, let setting):
            Explanation(
                "the call has \(setting), but its result of type \(type) is not decoded",
                "remove it from the call, or choose a result that is decoded"
            )
        case .tooLarge(let limit):
            Explanation(
                "the response is larger than the limit of \(limit)",
                "raise it for the call with decoding(upTo:), or read the body as a stream"
            )
        case .contentEncoded(let coding):
            Explanation(
                "the response is still encoded (Content-Encoding: \(coding))",
                "add GzipMiddleware inside SerializerMiddleware"
            )
        case .unknownCharset(let name):
            Explanation("the charset \(name.debugDescription) is not known", "read the body as Data, or use UTF-8")
        case .notInCharset(let name):
            Explanation("the text and the charset \(name) do not fit together", "name another in Content-Type")
        case .invalidLine(let number, let type, let path, let detail):
            Explanation("line \(number) is not a value of type \(type)\(path.isEmpty ? "" : " at \(path)"): \(detail)")
        case .lineTooLong(let number, let limit):
            Explanation("line \(number) is longer than the limit of \(limit)", "raise it with lineLimit:")
        }
    }

    /// The stage, the reason and the exchange.
    ///
    /// The coder's own error adds nothing to `reason`.
    public var description: String { explanation.text(of: stage) + (exchange.map { "\n  \($0)" } ?? "") }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(12).map { $0.printable(upTo: 120) }.joined(separator: ", ")
        return names.isEmpty ? "none" : shown + (names.count > 12 ? " and \(names.count - 12) more" : "")
    }

    static func notEncodable(
        _ value: any Encodable,
        by serializer: any Serializer,
        _ detail: String,
        at path: String = "",
        underlyingError: (any Error)? = nil
    ) -> Self {
        let type = String(describing: type(of: value))
        return SerializerError(
            .notEncodable(type: type, serializer: serializer.name, codingPath: path, detail: detail),
            underlyingError: underlyingError
        )
    }

    /// Makes the error from an error that an encoder threw.
    init(_ error: any Error, encoding value: any Encodable, by serializer: any Serializer) {
        var path = ""
        var detail = "\(error)"
        if let error = error as? EncodingError, case .invalidValue(_, let context) = error {
            path = BodyKeyPath(codingPath: context.codingPath).description
            detail = context.debugDescription
        }
        self = .notEncodable(value, by: serializer, detail, at: path, underlyingError: error)
    }

    func with(_ exchange: ExchangeSnapshot) -> SerializerError {
        SerializerError(problem, exchange: self.exchange ?? exchange, underlyingError: underlyingError)
    }
}

extension DecodingError.Context {
    init(_ detail: String, at path: [any CodingKey] = []) {
        self.init(codingPath: path, debugDescription: detail)
    }
}
