/// An error thrown if a request can't be sent; nothing was sent.
public struct InvalidRequestError: ExplainedError, Hashable {
    /// A reason why a request can't be sent.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The target isn't absolute, because no stage completed the reference (redacted).
        case relativeURL(String)
        /// No stage has put the path and query arguments of the request into its URL (redacted).
        case unfinishedURL(String)
        /// The URL (first, redacted) is invalid for the reason given (second).
        case invalidURL(String, String)
        /// A header field's name isn't a token, RFC 9110 §5.1; control characters in it are spaces.
        case invalidHeaderName(String)
        /// A header field's value contains a control character.
        case invalidHeaderValue(name: String)
        /// The Content-Length field isn't a number of bytes.
        case invalidContentLength(String)
        /// The Content-Length field and the body's length differ.
        case contentLengthMismatch(declared: Int64, actual: Int64)
        /// The body declares a negative length.
        case negativeLength(Int64)
        /// A typed value reached the transport, because no serializer encoded it.
        case unserializedBody(type: String)
        /// The transport can't send a body of this kind.
        case unsupportedBody(String)
    }

    /// The reason why the request can't be sent.
    public let problem: Problem
    /// The stage that would have completed the URL, as written in a chain; `nil` if it isn't known.
    private let reader: String?

    /// Makes the error for a problem; secrets in a URL are redacted.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - reader: The stage that reads the arguments that are missing in the URL, as written in a chain.
    package init(_ problem: Problem, reader: String? = nil) {
        self.init(problem, reader: reader, redaction: .standard)
    }

    private init(_ problem: Problem, reader: String?, redaction: Redaction) {
        self.reader = reader
        self.problem =
            switch problem {
            case .relativeURL(let reference): .relativeURL(redaction.url(reference))
            case .unfinishedURL(let url): .unfinishedURL(redaction.url(url))
            case .invalidURL(let url, let why): .invalidURL(redaction.url(url), redaction.text(why))
            case .invalidHeaderName(let name): .invalidHeaderName(redaction.text(name, upTo: Redaction.longestShown))
            case .invalidContentLength(let text): .invalidContentLength(redaction.text(text))
            case .unsupportedBody(let what): .unsupportedBody(redaction.text(what))
            default: problem
            }
    }

    /// Returns the same error, with the secrets of a call redacted.
    func redacted(by redaction: Redaction) -> InvalidRequestError {
        InvalidRequestError(problem, reader: reader, redaction: redaction)
    }

    /// Always "transport", the end of the chain.
    package var failedStage: String { "transport" }

    package var explanation: Explanation {
        switch problem {
        case .relativeURL(let reference):
            Explanation(
                "the URL reference \"\(reference)\" has no \(reference.begins(with: "//") ? "scheme" : "host")",
                "give an absolute URL or add a stage that completes it"
            )
        case .unfinishedURL(let url):
            Explanation(
                "nothing has put the path and query arguments of the request into its URL \"\(url)\"",
                "send it through a chain with \(reader ?? "the stage that does"), or write the complete URL"
            )
        case .invalidURL(let url, let why):
            Explanation("the URL \"\(url)\" is invalid: \(why)")
        case .invalidHeaderName(let name):
            Explanation(
                "\"\(name)\" isn't a name of a header field (RFC 9110 §5.1)",
                "use letters, digits and hyphens"
            )
        case .invalidHeaderValue(let name):
            Explanation(
                "the value of the header field \(name) contains a control character (RFC 9110 §5.5)",
                "remove it"
            )
        case .invalidContentLength(let text):
            Explanation(
                "Content-Length \"\(text)\" is not a number of bytes",
                "remove the field; the transport sets it"
            )
        case .contentLengthMismatch(let declared, let actual):
            Explanation(
                "Content-Length says \(declared) bytes but the body has \(actual)",
                "remove the field; the transport sets it"
            )
        case .negativeLength(let length):
            Explanation(
                "the body declares a length of \(length) bytes",
                "give its actual length, or nil if it is unknown"
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
