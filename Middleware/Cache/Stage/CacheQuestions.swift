import Foundation
import HTTPChainCore
import HTTPTypes

/// Describes a request for the rules: its key, its user, and the settings that apply to it.
struct CacheQuestions: Sendable {
    let partition: UserPartition
    let settings: CacheSettings
    let routes: [CacheRoute]
    /// Whether the cache is shared, RFC 9111 §1.
    let isShared: Bool

    /// Returns the description of a request.
    ///
    /// - Parameter known: The settings that apply to the request, if they have already been determined.
    /// - Throws: Errors of the partition.
    nonisolated(nonsending) func question(
        about request: borrowing Request,
        _ known: CacheSettings? = nil
    ) async throws -> CacheQuestion {
        let settings = known ?? settings(for: request)
        let head = request.head
        let owner: String
        switch try await partition.owner(of: request) {
        case .user(let name): owner = name
        // A shared cache stores responses to authenticated requests only if they are meant for all users, RFC 9111
        // §3.5.
        case .unknown where isShared: owner = ""
        case .unknown:
            var question = CacheQuestion(head, key: nil, settings: settings, time: request.environment.time.date)
            question.isUnowned = true
            return question
        }
        let key = Self.key(for: head, settings, partition: owner)
        let hasContent = !request.body.isEmpty
        let comparesContent = hasContent && key?.identifier != nil && settings.use != .off
        let content = comparesContent ? try await Self.digest(of: request) : nil
        var keyOfGet: CacheKey?
        if head.method == .post, key == nil, settings.use != .off,
            let url = CacheKey.url(of: head, ignoring: settings.ignoredQuery ?? .none)
        {
            keyOfGet = CacheKey(url: url, partition: owner)
        }
        let needsOwner = !isShared && !partition.isShared && !partition.seesUsers
        return CacheQuestion(
            head,
            key: key,
            keyOfGet: keyOfGet,
            settings: settings,
            hasContent: hasContent,
            content: content,
            isContentUnknown: comparesContent && content == nil,
            isOwnerKnown: partition.seesUsers,
            needsOwner: needsOwner,
            redaction: needsOwner ? request.redaction : .standard,
            time: request.environment.time.date
        )
    }

    /// Returns the settings that apply to a request.
    ///
    /// Its own take precedence over those of its route, and those over the stage's.
    func settings(for request: borrowing Request) -> CacheSettings {
        var result = settings
        if !routes.isEmpty {
            let head = request.head
            if let route = routes.first(where: { $0.matches(head) }) { result = route.settings.over(result) }
        }
        if request.options.contains(CacheOption.self) {
            result = request.options[CacheOption.self].over(result)
        }
        // HTML standard §9.2.2: streams are requested with the cache mode "no-store".
        if request.options[LongLivedResponseNote.self] { result.use = .off }
        return result
    }

    /// The key of a request; GET and HEAD share one.
    private static func key(for head: HTTPRequest, _ settings: CacheSettings, partition: String) -> CacheKey? {
        guard head.method.hasCacheKey(withIdentifier: settings.identifier != nil),
            let url = CacheKey.url(of: head, ignoring: settings.ignoredQuery ?? .none)
        else { return nil }
        return CacheKey(
            url: url,
            method: head.method == .head ? .get : head.method,
            partition: partition,
            identifier: settings.identifier
        )
    }

    /// The maximum size of request content that is compared.
    private static let comparedContent = ByteCount.mebibytes(1)

    /// The digest of a request's content; nil if the content can't be read twice, or is too large.
    private static func digest(of request: borrowing Request) async throws -> String? {
        let body = request.body
        guard body.isReplayable, body.length ?? 0 <= comparedContent.bytes else { return nil }
        if let bytes = body.bytes { return SHA256Digest.hex(of: bytes) }
        do {
            let bytes = try await (copy request).withinDeadline { try await body.collect(upTo: comparedContent) }
            return SHA256Digest.hex(of: bytes)
        } catch let error where !(error is CancellationError) && !(error is any TimeoutFailure) {
            // The error is ignored here, because sending the request also reads the body, and reports it.
            return nil
        }
    }
}
