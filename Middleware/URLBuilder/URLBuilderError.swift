public import HTTPChainCore

/// The error for a URL that can't be built.
///
/// Nothing was sent.
///
/// It contains the name of the variable that caused it, but never a value.
public struct URLBuilderError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The base isn't an absolute http or https URL, for the given reason.
        case invalidBase(String, reason: String)
        /// The reference is relative and the stage has no base.
        case noBase(reference: String)
        /// The template violates RFC 6570 at a position, counted in characters from 0.
        case malformedTemplate(String, position: Int, reason: String)
        /// A required variable of the template has no value.
        case missingVariable(String)
        /// A value was given for a variable that the template doesn't have.
        ///
        /// `template` contains the variables that it has.
        case unusedVariable(String, template: [String])
        /// A path segment would be empty, so that the path would identify another resource.
        case emptyVariable(String)
        /// A variable's value can't be used at this place in the template, for the given reason.
        case unusableValue(variable: String, reason: String)
        /// The path leaves the base.
        ///
        /// `variable` is the one whose value contains the dot segments, or `nil` if the reference itself contains them.
        case climbsOut(reference: String, variable: String?)
        /// A variable's value contains a scheme or a host.
        case hostInValue(variable: String)
        /// A variable's value contains a control character.
        case controlCharacter(variable: String)
        /// The URL would leave the base's origin, and that isn't allowed.
        case leavesOrigin(to: String, base: Origin)
        /// The host can't be looked up (RFC 3986 §3.2.2, RFC 5891 §4).
        case invalidHost(String)
        /// The host is an IPv6 address with a zone, which is local to this machine and never sent (RFC 6874 §3).
        case zoneInHost(String)
        /// A query value couldn't be encoded.
        ///
        /// The path is empty if this is the whole value.
        case unencodableQuery(path: String, reason: String)
    }

    /// The problem, with secrets in URLs redacted.
    public let problem: Problem
    /// The request, redacted, or `nil` if a template or encoder was used without a request.
    package let failedExchange: ExchangeSnapshot?
    /// The error of the `Encodable` value, if that is the cause.
    package let cause: (any Error)?

    /// Makes the error for a problem.
    package init(_ problem: Problem, exchange: ExchangeSnapshot? = nil, underlyingError: (any Error)? = nil) {
        self.problem = problem.redacted(by: .standard)
        failedExchange = exchange
        cause = underlyingError
    }

    /// Returns the same error for an exchange, without the exchange's secrets.
    init(_ error: URLBuilderError, in exchange: ExchangeSnapshot, redaction: Redaction) {
        problem = error.problem.redacted(by: redaction)
        failedExchange = exchange
        cause = error.underlyingError
    }

    /// Always "URLBuilderMiddleware".
    package var failedStage: String { "URLBuilderMiddleware" }

    package var explanation: Explanation {
        switch problem {
        case .invalidBase(let base, let reason):
            Explanation(
                "the base \"\(base)\" is not an absolute http or https URL: \(reason)",
                "give one like \"https://api.example.com/v2\""
            )
        case .noBase(let reference):
            Explanation(
                "the reference \"\(reference)\" is relative and there is no base to join it with",
                "give the stage a base, or the whole URL"
            )
        case .malformedTemplate(let template, let position, let reason):
            Explanation(
                "the template \"\(template)\" is malformed at position \(position): \(reason)"
            )
        case .missingVariable(let name):
            Explanation("the variable \"\(name)\" has no value", "give it with path: [\"\(name)\": …]")
        case .unusedVariable(let name, let template):
            Explanation(
                "the URL has no variable \"\(name)\", so its value would be lost; "
                    + (template.isEmpty
                        ? "it has none"
                        : "it has " + template.map { "\"\($0)\"" }.joined(separator: ", ")),
                "correct the name, add the variable to the URL, or remove the value"
            )
        case .emptyVariable(let name):
            Explanation(
                "the value of the path variable \"\(name)\" is empty, which would address another resource",
                "give it one"
            )
        case .unusableValue(let name, let reason):
            Explanation("the value of the variable \"\(name)\" cannot be written: \(reason)")
        case .climbsOut(let reference, let name?):
            Explanation(
                "the value of the variable \"\(name)\" makes a dot segment (. or ..) in the path of "
                    + "\"\(reference)\"",
                "give a value without it"
            )
        case .climbsOut(let reference, nil):
            Explanation(
                "the reference \"\(reference)\" climbs out of the base's path",
                "remove the .. segments, or give the whole URL"
            )
        case .hostInValue(let name):
            Explanation(
                "the value of the variable \"\(name)\" brings a scheme or host of its own",
                "put the host in the reference, or pass .opaque(…) for an identifier that looks like a URL"
            )
        case .controlCharacter(let name):
            Explanation("the value of the variable \"\(name)\" contains a control character", "remove it")
        case .leavesOrigin(let other, let base):
            Explanation(
                "the URL is on another origin, \(other), than the base, \(base)",
                "remove its host, or allow it for this call (url(leavesOrigin: .allowed)) "
                    + "or for the stage (leavesOrigin: .allowed)"
            )
        case .invalidHost(let host):
            Explanation(
                "\"\(host)\" is not a host name, internationalised or not (RFC 5891)",
                "correct it"
            )
        case .zoneInHost(let host):
            Explanation(
                "\"\(host)\" is an address with a zone, which no server may see (RFC 6874 §3)",
                "leave the zone out, and have the transport bind to the interface"
            )
        case .unencodableQuery(let path, let reason):
            Explanation("the query\(path.isEmpty ? "" : " parameter \"\(path)\"") cannot be encoded: \(reason)")
        }
    }
}

extension URLBuilderError.Problem {
    fileprivate func redacted(by redaction: Redaction) -> Self {
        switch self {
        case .invalidBase(let base, let reason): .invalidBase(redaction.url(base), reason: redaction.text(reason))
        case .noBase(let reference): .noBase(reference: redaction.url(reference))
        case .malformedTemplate(let template, let position, let reason):
            .malformedTemplate(redaction.url(template), position: position, reason: reason)
        case .climbsOut(let reference, let variable):
            .climbsOut(reference: redaction.url(reference), variable: variable)
        case .invalidHost(let host): .invalidHost(redaction.authority(host))
        case .zoneInHost(let host): .zoneInHost(redaction.authority(host))
        case .unencodableQuery(let path, let reason):
            .unencodableQuery(path: path, reason: redaction.text(reason))
        case .missingVariable, .unusedVariable, .emptyVariable, .unusableValue, .hostInValue, .controlCharacter,
            .leavesOrigin:
            self
        }
    }
}
