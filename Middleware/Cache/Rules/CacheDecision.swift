public import Foundation
import HTTPChainCore
public import HTTPTypes

/// A request as the rules see it.
public struct CacheQuestion: Sendable {
    /// The request's head.
    public var request: HTTPRequest
    /// The key that it is looked up by; `nil` when it has no absolute URL, or its method is not one that is stored.
    public var key: CacheKey?
    /// The settings of the call.
    public var settings: CacheSettings
    /// Whether the request has content.
    public var hasContent: Bool
    /// Now, by the wall clock.
    public var time: Date

    /// The key of a GET of the same target, where a POST may have its answer (RFC 9110 §9.3.3).
    var keyOfGet: CacheKey?

    /// Whether the request brings credentials and nobody said whose they are: nothing stored plays a part.
    var isUnowned = false
    /// Whether the key tells users apart whose credentials are added further in.
    var isOwnerKnown = false
    /// The rules of the call that say which fields are credentials.
    var redaction = Redaction.standard
    /// Whether a response to a request that turns out to have been authenticated is nobody's to store.
    var needsOwner = false

    /// The digest of the request's content, where a response may answer a request with content.
    var content: String?
    /// Whether the request has content that cannot be compared with that of others: nothing stored plays a part.
    var isContentUnknown = false

    private(set) var directives: RequestDirectives

    var ignoredQuery: IgnoredQuery { settings.ignoredQuery ?? .none }

    /// Asks about a request.
    public init(
        _ request: HTTPRequest,
        key: CacheKey?,
        settings: CacheSettings = CacheSettings(),
        hasContent: Bool = false,
        time: Date
    ) {
        self.request = request
        self.key = key
        self.settings = settings
        self.hasContent = hasContent
        self.time = time
        directives = RequestDirectives(request.headerFields)
    }

    /// The same question about another request, which has the same owner and the same content.
    func asking(_ request: HTTPRequest) -> CacheQuestion {
        var question = self
        question.request = request
        question.directives = RequestDirectives(request.headerFields)
        return question
    }

    /// The variant that a response to the request is; nil for one that no request can select.
    func variant(of response: HTTPFields) -> CacheVariant? {
        CacheVariant(of: response, to: request.headerFields, content: content)
    }

    /// Whether the request selects a variant.
    func selects(_ variant: CacheVariant) -> Bool { variant.matches(request.headerFields, content: content) }
}

/// A decision about a request.
public enum CacheDecision: Sendable {
    /// Answer from the store.
    case serve(CacheAnswer)
    /// Answer from the store, and send the validation meanwhile.
    case serveAndRevalidate(CacheAnswer, CacheValidation)
    /// Ask the server about what is stored.
    case validate(CacheValidation)
    /// Ask the server for the rest of what is stored, and answer with both (RFC 9111 §3.4).
    case complete(CacheCompletion)
    /// Ask the server; nothing stored plays a part.
    case forward(CacheReason)
    /// Answer 504 (Gateway Timeout).
    case unavailable(CacheReason)
}

/// A stored response that answers a request.
public struct CacheAnswer: Sendable {
    /// A form of the answer.
    public enum Form: Sendable, Hashable {
        /// As it is.
        case whole
        /// 304: the caller has it already, RFC 9111 §4.3.2.
        case notModified
        /// 206: some of the content, by position in the whole, and the length of the whole.
        case part(Range<Int64>, of: Int64?)
        /// 416: the range lies outside the content, which is this long.
        case unsatisfiable(length: Int64)
    }

    /// The stored response.
    public var entry: CacheEntry
    /// The form of the answer.
    public var form: Form
    /// The freshness of the entry.
    public var freshness: CacheFreshness
    /// Why it may be used.
    public var reason: CacheReason
}

/// A stored response whose end is missing.
public struct CacheCompletion: Sendable {
    /// The fields to send: a range, on condition that nothing has changed.
    public var fields: HTTPFields
    /// The stored beginning.
    public var entry: CacheEntry
    /// The position of the first byte that is missing.
    public var offset: Int64
    /// The size of the whole, in bytes.
    public var length: Int64
}

/// The validation to ask of the server, and the use that may be made of its answer.
public struct CacheValidation: Sendable {
    /// The fields to send, those of validation included.
    public var fields: HTTPFields
    /// Whether they ask about something stored; otherwise the request is as the caller made it.
    public var isConditional: Bool
    /// The response that is asked about; `nil` when what is stored is for other request fields.
    public var entry: CacheEntry?
    /// The stored responses that a 304 may mean.
    public var candidates: [CacheEntry]
    /// The freshness of the entry, where there is one.
    public var freshness: CacheFreshness?
    /// Why the server is asked.
    public var reason: CacheReason
    /// The stored response that may answer when the server is out of reach.
    public var whenDisconnected: CacheAnswer?
    /// The stored response that may answer when the server fails.
    public var whenFailing: CacheAnswer?
    /// Whether 504 (Gateway Timeout) has to answer when the server is out of reach, RFC 9111 §5.2.2.2.
    public var mustBeValidated: Bool
}
