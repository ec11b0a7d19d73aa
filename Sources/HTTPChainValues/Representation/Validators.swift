package import Foundation
import HTTPChainSupport
package import HTTPTypes

/// The validators of a response, RFC 9110 §8.8: its entity tag and its modification date.
package struct Validators: Sendable, Hashable {
    /// The number of seconds between `Last-Modified` and the response after which the date is strong, §8.8.2.2.
    ///
    /// A minute is longer than the usual difference between a server's clocks.
    private static let certainty: Int64 = 60

    /// The entity tag.
    ///
    /// Several tags joined together form one that isn't strong.
    package let entityTag: EntityTag?
    private let modified: String?
    private let date: String?
    private let receivedAt: Date?

    /// Reads the validators of a response.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - receivedAt: The time of arrival, which replaces a missing `Date` (§6.6.1). Without it, a response without
    ///     `Date` has no strong date.
    package init(_ fields: HTTPFields, receivedAt: Date? = nil) {
        entityTag = fields.value(of: .eTag).flatMap { EntityTag($0) }
        modified = fields.value(of: .lastModified)
        date = fields.value(of: .date)
        self.receivedAt = receivedAt
    }

    /// Whether the response has neither validator.
    package var isEmpty: Bool { entityTag == nil && modified == nil }

    /// `Last-Modified` in seconds since 1970; `nil` if it is absent or invalid.
    package var lastModified: Int64? { modified.flatMap(seconds) }

    /// `Last-Modified` if it is a strong validator, §8.8.2.2: far enough before `Date` to distinguish two changes, even
    /// with different clocks.
    package var strongLastModified: Int64? {
        guard let lastModified,
            let made = date.flatMap(seconds) ?? receivedAt.map({ Int64(HTTPDate($0).date.timeIntervalSince1970) }),
            made - lastModified >= Self.certainty
        else { return nil }
        return lastModified
    }

    /// The value of `If-Range` for further parts of this version, §13.1.5; `nil` without a strong validator.
    ///
    /// If there is a weak entity tag, the date isn't used instead, because the section allows a date only if there is
    /// no tag.
    package var ifRange: String? {
        if let entityTag { return entityTag.isStrong ? entityTag.description : nil }
        return strongLastModified == nil ? nil : modified
    }

    /// Whether an `If-Range` is true for this version, §13.1.5: the same strong tag or the same strong date.
    package func satisfies(ifRange condition: String) -> Bool {
        if let date = seconds(condition) { return date == strongLastModified }
        guard let entityTag, let tag = EntityTag(condition) else { return false }
        return entityTag.matchesStrongly(tag)
    }

    /// Whether a part is of this version, so that both may be joined (RFC 9110 §15.3.7.3, RFC 9111 §3.4): both have the
    /// same strong tag, or else the same strong date.
    ///
    /// - Parameters:
    ///   - part: The validators of the part.
    ///   - condition: The `If-Range` with which the part was requested, or `nil` if there was none. If it is the
    ///     validator of this version, the server has compared the date and needn't repeat it (RFC 9110 §15.3.7).
    package func isSameVersion(as part: Validators, requestedIf condition: String?) -> Bool {
        if let entityTag, let tag = part.entityTag { return entityTag.matchesStrongly(tag) }
        guard entityTag == nil, part.entityTag == nil, let strongLastModified, let ifRange else { return false }
        guard let condition, condition.hasSameBytes(as: ifRange) else {
            return strongLastModified == part.strongLastModified
        }
        return part.modified == nil || part.lastModified == strongLastModified
    }

    private func seconds(_ text: String) -> Int64? { StrictDate.seconds(text, now: receivedAt ?? Date()) }
}
