package import Foundation
import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

/// The facts that determine a response's freshness; they are read once from its fields when it is stored.
package struct ResponseFacts: Sendable {
    /// The expiry time of a response.
    package enum Expiry: Equatable, Sendable {
        case absent
        /// The value isn't a date, but typically "0", which means in the past (RFC 9111 §5.3).
        case invalid
        /// Seconds since 1970.
        case at(Int64)
    }

    package let directives: ResponseDirectives
    /// The valid targeted fields, by lower-case name, RFC 9213.
    package let targeted: [String: ResponseDirectives]
    /// `Date` in seconds since 1970, or the time of arrival if it is absent (RFC 9110 §6.6.1).
    package let date: Int64
    package let expires: Expiry
    /// `Last-Modified` in seconds since 1970.
    let lastModified: Int64?
    /// `Age`; 0 if it is absent or invalid (RFC 9111 §5.1).
    package let age: Int64
    let validators: Validators
    package let status: Int

    package init(_ fields: HTTPFields, status: Int, receivedAt: Date) {
        self.status = status
        directives = ResponseDirectives(fields)
        var targeted: [String: ResponseDirectives] = [:]
        for field in fields where field.name.canonicalName.ends(with: "-cache-control") {
            let name = field.name.canonicalName
            if targeted[name] == nil { targeted[name] = ResponseDirectives(targeted: fields[values: field.name]) }
        }
        self.targeted = targeted
        let received = Int64(clampingSeconds: receivedAt.timeIntervalSince1970.rounded(.down))
        date = fields.first(of: .date).flatMap { StrictDate.seconds($0, now: receivedAt) } ?? received
        // If there are two `Expires`, the first applies, RFC 9111 §4.2.1, even if a transport has joined them.
        expires =
            fields.first(of: .expires).map { text in
                let first =
                    text.utf8.firstRange(of: "GMT, ".utf8).map { String(text[..<$0.lowerBound]) + "GMT" } ?? text
                return StrictDate.seconds(first, now: receivedAt).map(Expiry.at) ?? .invalid
            } ?? .absent
        age = fields.first(of: .age).map(Self.age) ?? 0
        validators = Validators(fields, receivedAt: receivedAt)
        lastModified = validators.lastModified
    }

    /// Uses the first member of a list, and ignores values that aren't numbers, RFC 9111 §5.1.
    private static func age(_ text: String) -> Int64 {
        let first = text.utf8.prefix { $0 != UInt8(ascii: ",") }
        return DeltaSeconds(Substring(first).trimming()).seconds ?? 0
    }

    var entityTag: EntityTag? { validators.entityTag }

    /// Whether the response can be validated, RFC 9111 §4.3.1.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }
}

extension Int64 {
    /// Converts an interval to whole seconds, clamping extreme values.
    package init(clampingSeconds seconds: Double) {
        self = seconds.isNaN ? 0 : Int64(Swift.min(Swift.max(seconds, -9e15), 9e15))
    }
}

extension HTTPFields {
    /// The value of the first field line with a name.
    func first(of name: HTTPField.Name) -> String? {
        first { $0.name == name }?.value
    }
}
