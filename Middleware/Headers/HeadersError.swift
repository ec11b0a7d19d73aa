public import HTTPChainCore

/// An error thrown if a header field can't be set.
///
/// Nothing was sent.
public struct HeadersError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The name isn't a token, RFC 9110 §5.1.
        case invalidName(String)
        /// The value contains an invalid byte, RFC 9110 §5.5; the offset counts UTF-8 bytes.
        case invalidValue(name: String, byte: UInt8, offset: Int)
        /// The closure that computes the field's value threw an error, which is the cause.
        case valueFailed(name: String)
        /// The field's origin isn't valid.
        case invalidOrigin(name: String, origin: String)
        /// The field is bound to an origin, but the request's URL isn't absolute yet.
        case unknownOrigin(name: String, origin: Origin, url: String)
        /// The call lacks a parameter of the field's template.
        case missingParameter(name: String, parameter: String)
        /// No template of the chain or the call has this parameter.
        ///
        /// `templates` are the parameters that they have.
        case unusedParameter(String, templates: [String])
        /// The request would have more fields than a message can contain.
        case tooManyFields(Int)
    }

    /// The problem.
    public let problem: Problem
    /// The request at the time of the error, or `nil` if the error isn't about a request.
    package let failedExchange: ExchangeSnapshot?
    /// The error of the closure that computes a value.
    package let cause: (any Error)?

    init(_ problem: Problem, exchange: ExchangeSnapshot? = nil, underlyingError: (any Error)? = nil) {
        self.problem = problem
        failedExchange = exchange
        cause = underlyingError
    }

    /// Always "HeadersMiddleware".
    package var failedStage: String { "HeadersMiddleware" }

    package var explanation: Explanation {
        Explanation(problem.description, problem.fix)
    }
}

extension HeadersError.Problem: CustomStringConvertible {
    /// A description of the field and its problem, without the value.
    public var description: String {
        switch self {
        case .invalidName(let name):
            "\(name.debugDescription) is not the name of a header field"
        case .invalidValue(let name, let byte, let offset):
            "the value of the header field \(name) contains \(Self.description(of: byte)) at byte \(offset)"
        case .valueFailed(let name):
            "the value of the header field \(name) could not be computed"
        case .invalidOrigin(let name, let origin):
            "the header field \(name) is bound to \(origin.debugDescription), which is not an origin"
        case .unknownOrigin(let name, let origin, let url):
            "the header field \(name) is only for \(origin), and the request's origin is not known yet"
                + (url.isEmpty ? "" : " (\(url.debugDescription))")
        case .missingParameter(let name, let parameter):
            "the header field \(name) needs the parameter \(parameter.debugDescription), which the call does not have"
        case .unusedParameter(let parameter, let templates):
            "no template of a header field uses the parameter \(parameter.debugDescription), so it would be lost; they "
                + "have " + templates.map(\.debugDescription).joined(separator: ", ")
        case .tooManyFields(let count):
            "the request would have \(count) header fields"
        }
    }

    /// Advice on fixing the problem.
    var fix: String {
        switch self {
        case .invalidName: "use letters, digits and any of !#$%&'*+-.^_`|~ (RFC 9110 §5.1)"
        case .invalidValue: "remove it, or encode the value (RFC 9110 §5.5)"
        case .valueFailed: "see the cause"
        case .invalidOrigin: "give scheme, host and port, such as \"https://api.example.com\""
        case .unknownOrigin: "move HeadersMiddleware inside the stage that completes the URL, or give an absolute URL"
        case .missingParameter: "give it with headerParameters(_:_:)"
        case .unusedParameter: "correct its name, or leave it out"
        case .tooManyFields: "a message has room for 65534 of them"
        }
    }

    private static func description(of byte: UInt8) -> String {
        switch byte {
        case 0x0D: "a carriage return (CR)"
        case 0x0A: "a line feed (LF)"
        case 0x00: "a NUL"
        default: "the control character 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        }
    }
}
