import Foundation
import HTTPChainCore
import HTTPTypes

/// The meaning of a recorded response for a conditional request (RFC 9110 §13).
enum ReplayCondition {
    enum Verdict: Sendable, Hashable {
        /// The recorded response.
        case asRecorded
        /// 304, because the client has the recorded content (RFC 9110 §15.4.5).
        case notModified
        /// 412, because the recorded content isn't what the client expects (RFC 9110 §15.5.13).
        case failed
        /// No response, because the recorded one was made under another condition.
        case unfit(String)
    }

    static func verdict(method: String, fields: HTTPFields, recorded: HARResponse) -> Verdict {
        guard method == "GET" || method == "HEAD" else { return .asRecorded }
        let isConditional = fields[.ifNoneMatch] != nil || fields[.ifModifiedSince] != nil
        switch recorded.status {
        case 304:
            // The recorded response doesn't contain the content.
            guard isConditional else {
                return .unfit(
                    "the recorded answer is 304, and the request makes no condition (If-None-Match, If-Modified-Since)"
                )
            }
            // Without a validator in the response, the recorded condition is assumed to be the same.
            guard let condition = fields[.ifNoneMatch], let tag = recorded.values(of: "etag").first else {
                return .asRecorded
            }
            return matches(condition, tag)
                ? .asRecorded : .unfit("the recorded answer is 304 for \(tag), and the request has \(condition)")
        case 200: return whole(fields, recorded)
        default: return .asRecorded
        }
    }

    /// Evaluates the conditions of a request for the complete content, in the order of RFC 9110 §13.2.2.
    private static func whole(_ fields: HTTPFields, _ recorded: HARResponse) -> Verdict {
        let tag = recorded.values(of: "etag").first
        let modified = recorded.values(of: "last-modified").first.flatMap { HTTPDate($0)?.date }
        if let condition = fields[.ifMatch] {
            // By strong comparison, a weak tag never matches (§13.1.1).
            if !matches(condition, tag ?? "", strongly: true) { return .failed }
        } else if let since = fields[.ifUnmodifiedSince].flatMap({ HTTPDate($0)?.date }), let modified,
            modified > since
        {
            return .failed
        }
        if let condition = fields[.ifNoneMatch] {
            return matches(condition, tag ?? "") ? .notModified : .asRecorded
        }
        if let since = fields[.ifModifiedSince].flatMap({ HTTPDate($0)?.date }), let modified, modified <= since {
            return .notModified
        }
        return .asRecorded
    }

    /// Returns whether a list of entity tags contains a tag (RFC 9110 §8.8.3.2), by weak comparison by default.
    private static func matches(_ list: String, _ tag: String, strongly: Bool = false) -> Bool {
        if list.trimming() == "*" { return true }
        guard let tag = EntityTag(tag) else { return false }
        return EntityTag.list(list).contains { strongly ? tag.matchesStrongly($0) : tag.matchesWeakly($0) }
    }
}
