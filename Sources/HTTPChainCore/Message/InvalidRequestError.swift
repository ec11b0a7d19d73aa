/// A request that cannot be sent as it stands; nothing was sent.
public struct InvalidRequestError: HTTPChainError, Hashable {
    /// A reason why a request cannot be sent.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The target is not absolute: no stage completed the reference, which is redacted.
        case relativeURL(String)
        /// The URL (first, redacted) does not make sense for the reason given (second).
        case invalidURL(String, String)
        /// A header field's value holds a control character.
        case invalidHeaderValue(name: String)
        /// The Content-Length field is not a number of bytes.
        case invalidContentLength(String)
        /// The Content-Length field and the body's own length differ.
        case contentLengthMismatch(declared: Int64, actual: Int64)
        /// The body declares a negative length.
        case negativeLength(Int64)
        /// A typed value reached the transport: no serializer turned it into bytes.
        case unserializedBody(type: String)
        /// The transport cannot send a body of this kind.
        case unsupportedBody(String)
    }

    /// The reason why the request cannot be sent.
    public let problem: Problem

    /// Makes the error for a problem; secrets in a URL are redacted.
    public init(_ problem: Problem) {
        self.init(problem, redaction: .standard)
    }

    private init(_ problem: Problem, redaction: Redaction) {
        self.problem =
            switch problem {
            case .relativeURL(let reference): .relativeURL(redaction.url(reference))
            case .invalidURL(let url, let why): .invalidURL(redaction.url(url), redaction.text(why))
            case .invalidContentLength(let text): .invalidContentLength(redaction.text(text))
            case .unsupportedBody(let what): .unsupportedBody(redaction.text(what))
            default: problem
            }
    }

    /// The same error, without what is a secret in one call.
    func redacted(by redaction: Redaction) -> InvalidRequestError {
        InvalidRequestError(problem, redaction: redaction)
    }

    /// Always "transport": the last place a request passes.
    public var stage: String { "transport" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        switch problem {
        case .relativeURL(let reference):
            Explanation(
                "the URL reference \"\(reference)\" has no \(reference.begins(with: "//") ? "scheme" : "host")",
                "give an absolute URL or add a stage that completes it"
            )
        case .invalidURL(let url, let why):
            Explanation("the URL \"\(url)\" is invalid: \(why)")
        case .invalidHeaderValue(let name):
            Explanation("the value of the header field \(name) holds a control character (RFC 9110 §5.5)", "remove it")
        case .invalidContentLength(let text):
            Explanation(
                "Content-Length \"\(text)\" is not a number of bytes",
                "remove the field, the transport sets it"
            )
        case .contentLengthMismatch(let declared, let actual):
            Explanation(
                "Content-Length says \(declared) bytes but the body has \(actual)",
                "remove the field, the transport sets it"
            )
        case .negativeLength(let length):
            Explanation(
                "the body declares a length of \(length) bytes",
                "give its real length, or nil when it is not known"
            )
        case .unserializedBody(let type):
            Explanation(
                "a body of type \(type) reached the transport unserialized",
                "add a serializer stage to the chain, or send bytes (Request.post(_:json:) encodes at once)"
            )
        case .unsupportedBody(let what):
            Explanation(what)
        }
    }
}
