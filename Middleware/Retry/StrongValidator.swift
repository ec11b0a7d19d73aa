import Foundation
import HTTPChainCore
import HTTPTypes

/// A validator that tells one version of a representation from every other, byte for byte (RFC 9110 §8.8.1): what
/// `If-Range` may hold (§13.1.5).
enum StrongValidator: Hashable {
    case entityTag(String)
    case lastModified(String)

    /// How much later than `Last-Modified` a response must have been made for the date to be strong, RFC 9110
    /// §8.8.2.2: a minute is beyond what two clocks of one server differ by.
    private static let certainty: TimeInterval = 60

    /// The validator of a response; `nil` when it has none that is strong.
    ///
    /// A weak entity tag is not made up for by a date: §13.1.5 wants the date only where there is no tag.
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

    /// Whether a response is of the same version: by strong comparison, RFC 9110 §8.8.3.2, or by the very same date.
    func matches(_ fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let tag): fields[.eTag] == tag
        case .lastModified(let date): fields[.eTag] == nil && fields[.lastModified] == date
        }
    }

    /// RFC 9110 §8.8.3: an opaque tag in quotes with no quote inside, and no `W/` before it.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = tag.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return !bytes.dropFirst().dropLast().contains(UInt8(ascii: "\""))
    }
}
