package import Foundation
package import HTTPChainCore
package import HTTPTypes

/// A request, in the form that the rules evaluate.
package struct CacheQuestion: Sendable {
    /// The request's head.
    package var request: HTTPRequest
    /// The key to look up; `nil` if the request has no absolute URL, or its method's responses aren't stored.
    package var key: CacheKey?
    /// The settings of the call.
    package var settings: CacheSettings
    /// Whether the request has content.
    package var hasContent: Bool
    /// The current time by the wall clock.
    package var time: Date

    /// The key of a GET of the same target; a response to a POST may be stored for it, too (RFC 9110 §9.3.3).
    package var keyOfGet: CacheKey?

    /// Whether the request has credentials of an unknown user; stored responses then aren't used.
    package var isUnowned = false
    /// Whether the key separates users whose credentials are added by inner stages.
    package var isOwnerKnown: Bool
    /// The call's redaction rules, which define the fields that are credentials.
    let redaction: Redaction
    /// Whether a response must not be stored if its request turns out to have been authenticated further in.
    package var needsOwner: Bool

    /// The digest of the request's content, for responses that depend on it.
    var content: String?
    /// Whether the request's content can't be compared with that of other requests; stored responses then aren't used.
    let isContentUnknown: Bool

    private(set) var directives: RequestDirectives

    var ignoredQuery: IgnoredQuery { settings.ignoredQuery ?? .none }

    /// Creates the description of a request.
    package init(
        _ request: HTTPRequest,
        key: CacheKey?,
        keyOfGet: CacheKey? = nil,
        settings: CacheSettings = CacheSettings(),
        hasContent: Bool = false,
        content: String? = nil,
        isContentUnknown: Bool = false,
        isOwnerKnown: Bool = false,
        needsOwner: Bool = false,
        redaction: Redaction = .standard,
        time: Date
    ) {
        self.request = request
        self.key = key
        self.keyOfGet = keyOfGet
        self.settings = settings
        self.hasContent = hasContent
        self.content = content
        self.isContentUnknown = isContentUnknown
        self.isOwnerKnown = isOwnerKnown
        self.needsOwner = needsOwner
        self.redaction = redaction
        self.time = time
        directives = RequestDirectives(request.headerFields)
    }

    /// Returns the same description for another request with the same owner and content.
    func asking(_ request: HTTPRequest) -> CacheQuestion {
        var question = self
        question.request = request
        question.directives = RequestDirectives(request.headerFields)
        return question
    }

    /// Returns the variant of a response to the request; nil if no request can select it.
    func variant(of response: HTTPFields) -> CacheVariant? {
        CacheVariant(of: response, to: request.headerFields, content: content)
    }

    /// Whether the request selects a variant.
    func selects(_ variant: CacheVariant) -> Bool { variant.matches(request.headerFields, content: content) }

    /// Whether a response is in the request's preferred language.
    func selectsByLanguage(_ response: StoredResponse) -> Bool {
        let language = response.metadata.head.headerFields[.contentLanguage]
        return response.metadata.variant.matches(request.headerFields, inLanguage: language)
    }
}

/// A decision about a request.
package enum CacheDecision: Sendable {
    /// Serve from the store.
    case serve(CacheAnswer)
    /// Serve from the store, and validate the response in the background.
    case serveAndRevalidate(CacheAnswer, CacheValidation)
    /// Validate the stored response with the server.
    case validate(CacheValidation)
    /// Request the rest of a stored response from the server, and serve both parts (RFC 9111 §3.4).
    case complete(CacheCompletion)
    /// Forward the request to the server without using stored responses.
    case forward(CacheReason)
    /// Respond with 504 (Gateway Timeout).
    case unavailable(CacheReason)
}

/// A stored response that can be served for a request.
package struct CacheAnswer: Sendable {
    /// The form in which a response is served.
    package enum Form: Sendable, Hashable {
        /// Unchanged.
        case whole
        /// 304, because the caller already has the response, RFC 9111 §4.3.2.
        case notModified
        /// 206: a range of the content, and the total length.
        case part(Range<Int64>, of: Int64?)
        /// 416: the range is outside the content, which has this length.
        case unsatisfiable(length: Int64)
    }

    /// The stored response.
    package var entry: CacheEntry
    /// The form of the response.
    package var form: Form
    /// The freshness of the entry.
    package var freshness: CacheFreshness
    /// The reason why it may be used.
    package var reason: CacheReason
}

/// A stored response that lacks its end.
package struct CacheCompletion: Sendable {
    /// The fields to send: a range, and the condition that the representation hasn't changed.
    package var fields: HTTPFields
    /// The stored beginning.
    package var entry: CacheEntry
    /// The position of the first byte that is missing.
    package var offset: Int64
    /// The total size in bytes.
    package var length: Int64
}

/// A validation request, with the permitted uses of its outcome.
package struct CacheValidation: Sendable {
    /// The fields to send, including those for validation.
    package var fields: HTTPFields
    /// Whether the fields include the cache's conditions; if not, the request is unchanged.
    package var isConditional = false
    /// The response to validate; `nil` if the stored responses are for other request fields.
    package var entry: CacheEntry?
    /// The stored responses that a 304 may refer to.
    package var candidates: [CacheEntry] = []
    /// The freshness of the entry, if there is one.
    package var freshness: CacheFreshness?
    /// The reason for the validation.
    package var reason: CacheReason
    /// The stored response to serve if the server is unreachable.
    package var whenDisconnected: CacheAnswer?
    /// The stored response to serve if the server fails.
    package var whenFailing: CacheAnswer?
    /// Whether the response must be 504 (Gateway Timeout) if the server is unreachable, RFC 9111 §5.2.2.2.
    package var mustBeValidated = false
}

/// The head of a response from the server, with its times.
package struct ReceivedResponse: Sendable {
    package let head: HTTPResponse
    /// The request as sent, if known, because inner stages may have added credentials.
    package let request: HTTPRequest?
    /// The time the request was sent, by the wall clock.
    package let sentAt: Date
    /// The time the response arrived.
    package let receivedAt: Date

    package init(_ head: HTTPResponse, to request: HTTPRequest? = nil, sentAt: Date, receivedAt: Date) {
        self.head = head
        self.request = request
        self.sentAt = sentAt
        self.receivedAt = receivedAt
    }

    /// The facts about its freshness.
    var facts: ResponseFacts {
        ResponseFacts(head.headerFields, status: head.status.code, receivedAt: receivedAt)
    }
}
