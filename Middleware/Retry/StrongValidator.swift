import Foundation
import HTTPChainCore
import HTTPTypes

/// A validator that identifies a version of a representation byte for byte (RFC 9110 §8.8.1), for `If-Range` (§13.1.5).
enum StrongValidator: Hashable {
    case entityTag(String)
    case lastModified(String)

    /// The time between `Last-Modified` and the response after which the date is strong, RFC 9110 §8.8.2.2: a minute
    /// exceeds the difference of a server's clocks.
    private static let certainty: TimeInterval = 60

    /// Makes the validator of a response, or returns `nil` if it has no strong one.
    ///
    /// A date doesn't replace a weak entity tag: §13.1.5 allows the date only without a tag.
    init?(of fields: HTTPFields) {
        if let tag = fields[.eTag] {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        guard let text = fields[.lastModified], let modified = HTTPDate(text)?.date,
            let made = fields[.date].flatMap({ HTTPDate($0)?.date }),
            made.timeIntervalSince(modified) >= Self.certainty
        else { return nil }
        self = .lastModified(text)
    }

    /// The value of `If-Range`.
    var field: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }

    /// Whether a response has the same version: by strong comparison, RFC 9110 §8.8.3.2, or by the identical date.
    func matches(_ fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let tag): fields[.eTag] == tag
        case .lastModified(let date): fields[.eTag] == nil && fields[.lastModified] == date
        }
    }

    /// RFC 9110 §8.8.3: an opaque tag in quotes without inner quotes, and without a `W/` prefix.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = tag.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return !bytes.dropFirst().dropLast().contains(UInt8(ascii: "\""))
    }
}
