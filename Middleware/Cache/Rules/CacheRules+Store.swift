import Foundation
import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

/// The decision whether a response is stored.
package enum CacheStorage: Sendable {
    /// Store it with this description.
    case store(CacheMetadata)
    /// Don't store it; the reason is a short text with the section.
    case skip(String)
}

extension CacheRules {
    /// The maximum number of field lines of a response to be stored; legitimate responses have far fewer.
    static let fieldLimit = HTTPFields.receivedLimit

    /// Whether `must-understand` (RFC 9111 §5.2.2.3) allows this final status.
    ///
    /// The statuses of RFC 9110 §15 are implemented.
    package static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// Decides whether, and for how long, to store a response, RFC 9111 §3.
    ///
    /// - Parameters:
    ///   - received: The response.
    ///   - question: The request it answers, with the call's settings.
    package func storage(of received: ReceivedResponse, answering question: CacheQuestion) -> CacheStorage {
        let response = received.head
        let request = received.request ?? question.request
        if question.needsOwner,
            request.headerFields.credentials(by: question.redaction)
                != question.request.headerFields.credentials(by: question.redaction)
        {
            return .skip("the request was authenticated further in, and no partition says whose it is")
        }
        let settings = question.settings
        let lifetime = settings.lifetime ?? .server
        if settings.use == .off { return .skip("the cache is off for this call") }
        guard let key = question.key, question.request.method == key.method else {
            return .skip("the method's responses are not stored, RFC 9111 §3")
        }
        if key.method != .get || question.hasContent {
            guard key.identifier != nil, lifetime.isExact else {
                return .skip("only with an identifier and a lifetime of the client's own, RFC 9111 §3")
            }
        }
        if question.isContentUnknown {
            return .skip("the content of the request cannot be compared with that of others")
        }
        if question.directives.noStore { return .skip("the request is no-store, RFC 9111 §5.2.1.5") }
        let status = response.status.code
        switch status {
        case ..<200: return .skip("the response is not final, RFC 9111 §3")
        case 304, 412, 416: return .skip("the response answers a condition or a range, not the request")
        default: break
        }
        guard response.headerFields.count <= Self.fieldLimit else { return .skip("it has too many fields") }
        if response.isEventStream {
            return .skip("an event stream has no end")
        }
        let facts = received.facts
        if !lifetime.isExact, let obstacle = obstacle(toStoring: facts, question, request, lifetime) {
            return .skip(obstacle)
        }
        guard let variant = question.variant(of: response.headerFields) else {
            return .skip("Vary: * never matches a request, RFC 9111 §4.1")
        }
        // Later requests won't have a field that is set by an inner stage, so the key must separate users by it.
        if !question.isOwnerKnown, !variant.matches(request.headerFields, content: question.content) {
            return .skip("Vary names a field that was set after the cache lookup, RFC 9111 §4.1")
        }
        var metadata = CacheMetadata(
            head: response,
            variant: variant,
            requestTime: received.sentAt,
            responseTime: received.receivedAt,
            classification: settings.classification,
            lifetime: lifetime
        )
        metadata.head.headerFields = storedFields(response.headerFields, by: directives(facts), received.receivedAt)
        if status == 206 {
            guard let range = ContentRange(response.headerFields) else {
                return .skip("the partial response is not one run of bytes, RFC 9111 §3.3")
            }
            metadata.content = .part(range.range, of: range.length)
            metadata.head.status = .ok
            metadata.head.headerFields[.contentRange] = nil
            metadata.head.headerFields[.contentLength] = nil
        }
        return .store(metadata)
    }

    /// Returns the question that a response to POST also answers, RFC 9110 §9.3.3: with explicit freshness and a
    /// `Content-Location` equal to the target, the response may serve a later GET.
    package func questionOfGet(_ question: CacheQuestion, answeredBy response: HTTPResponse) -> CacheQuestion? {
        guard let key = question.keyOfGet, response.status.code == 200,
            let location = response.headerFields.first(of: .contentLocation),
            CacheKey.url(location, relativeTo: key.url, ignoring: question.ignoredQuery).hasSameBytes(as: key.url)
        else { return nil }
        let said = ResponseDirectives(response.headerFields)
        guard said.maxAge != .absent || isShared && said.sMaxAge != .absent || response.headerFields.contains(.expires)
        else { return nil }
        var request = question.request
        request.method = .get
        var get = question.asking(request)
        get.key = key
        get.hasContent = false
        get.content = nil
        return get
    }

    /// Returns the reason that forbids storing a response, RFC 9111 §3; `nil` if there is none.
    func obstacle(
        toStoring facts: ResponseFacts,
        _ question: CacheQuestion,
        _ request: HTTPRequest,
        _ lifetime: CacheLifetime
    ) -> String? {
        let said = directives(facts)
        if said.mustUnderstand {
            if !Self.isUnderstood(facts.status) { return "must-understand an unknown status, RFC 9111 §5.2.2.3" }
        } else if said.noStore {
            return "the response is no-store, RFC 9111 §5.2.2.5"
        }
        if isShared {
            if said.isPrivate { return "the response is private, RFC 9111 §5.2.2.7" }
            if request.headerFields.contains(.authorization) || question.request.headerFields.contains(.authorization),
                !(said.mustRevalidate || said.isPublic || said.sMaxAge != .absent)
            {
                return "the request was authenticated, RFC 9111 §3.5"
            }
        }
        let isExplicit: Bool
        if let targeted = targeted(facts) {
            isExplicit = targeted.maxAge != .absent || targeted.sMaxAge != .absent
        } else {
            isExplicit =
                facts.expires != .absent || said.maxAge != .absent || isShared && said.sMaxAge != .absent
        }
        guard
            isExplicit || said.isPublic || said.isPrivate || Self.isHeuristicallyCacheable(facts.status)
                || lifetime != .server
        else { return "nothing allows the status \(facts.status) to be stored, RFC 9111 §3" }
        // A response that can never be used isn't worth storing.
        if said.noCache, !facts.hasValidator { return "no-cache without a validator can never be used" }
        if said.mustRevalidate, !facts.hasValidator, serverLifetime(facts).lifetime <= 0, lifetime == .server {
            return "must-revalidate, stale and without a validator: it can never be used"
        }
        return nil
    }

    /// Returns what an unsafe request invalidates, RFC 9111 §4.4: its target, and `Location` and `Content-Location` in
    /// the same origin.
    ///
    /// This applies only if the response isn't an error (200 to 399).
    ///
    /// The result includes the call's own ``CacheSettings/invalidates``, for safe methods too. URLs are normalised. Each
    /// URL of the target and the response is included both with and without the query parameters that the call ignores.
    package func invalidations(by question: CacheQuestion, answering response: HTTPResponse) -> [CacheSelection] {
        guard (200..<400).contains(response.status.code) else { return [] }
        var selections = question.settings.invalidates.map(\.normalised)
        guard !question.request.method.isSafe else { return selections }
        func add(_ selection: CacheSelection) {
            if !selections.contains(selection) { selections.append(selection) }
        }
        // Keys of other calls may include the whole query.
        for ignored in Set([.none, question.ignoredQuery]) {
            guard let target = CacheKey.url(of: question.request, ignoring: ignored) else { continue }
            if let key = question.key {
                // With an identifier, the call is one of several queries to its target, whose responses stay valid.
                add(.key(CacheKey(url: target, partition: key.partition)))
            } else {
                add(.url(target))
            }
            for name in [HTTPField.Name.location, .contentLocation] {
                guard let reference = response.headerFields.first(of: name),
                    let url = CacheKey.url(reference, relativeTo: target, ignoring: ignored)
                else { continue }
                add(.url(url))
            }
        }
        return selections
    }
}
