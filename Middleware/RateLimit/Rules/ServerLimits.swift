package import Foundation
import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes
import RawStructuredFieldValues

/// The server's limits, as read from a response.
package struct ServerLimits: Sendable, Hashable {
    /// The remaining number of one limit.
    package struct Quota: Sendable, Hashable {
        /// The name of the policy; empty if the fields have no names.
        package var policy: String
        /// The partition key as written; empty if there is none.
        package var partition: String
        package var remaining: Int
        /// The time until the limit is replenished.
        package var reset: Duration

        package init(policy: String, partition: String, remaining: Int, reset: Duration) {
            self.policy = policy
            self.partition = partition
            self.remaining = remaining
            self.reset = reset
        }
    }

    package var quotas: [Quota] = []
    /// The pause that the server requests.
    package var pause: Duration?

    /// The maximum number of quotas read from a response.
    static let maximumQuotas = 16
    /// The longest time for which a server can stop its clients.
    static let longestReset = Duration.seconds(86_400)

    package init() {}

    /// Parses the fields of a response.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - now: The local date. It is used for resets given as dates if the response has no `Date`.
    package init(_ head: HTTPResponse, now: Date) {
        let fields = head.headerFields
        pause = RetryAfter.pause(askedBy: head, now: now).map { min($0, Self.longestReset) }
        if let value = fields[Self.rateLimit] {
            quotas = Self.structured(value, policies: fields[Self.rateLimitPolicy]) ?? []
        }
        if quotas.isEmpty { quotas = Self.plain(fields, ServerTime(fields, now: now)) }
    }

    private static let rateLimit = HTTPField.Name(constant: "RateLimit")
    private static let rateLimitPolicy = HTTPField.Name(constant: "RateLimit-Policy")

    // MARK: - draft-ietf-httpapi-ratelimit-headers

    /// `RateLimit: "default";r=50;t=30`, §4 of draft 8 and later; `limit=100, remaining=50, reset=30` in draft 7.
    private static func structured(_ value: String, policies: String?) -> [Quota]? {
        guard let bytes = value.structuredFieldBytes else { return nil }
        var parser = StructuredFieldValueParser(bytes)
        if let members = try? parser.parseListFieldValue() {
            let windows = policies.map(windows(in:)) ?? [:]
            let quotas = members.prefix(maximumQuotas).compactMap { member -> Quota? in
                guard case .item(let item) = member else { return nil }
                let name: String
                switch item.rfc9651BareItem {
                case .string(let text): name = text
                case .token(let text): name = text
                default: return nil
                }
                var quota = Quota(policy: name, partition: "", remaining: -1, reset: .zero)
                var reset: Duration?
                for (key, value) in item.rfc9651Parameters {
                    switch (key, value) {
                    case ("r", .integer(let count)): quota.remaining = Int(clamping: max(0, count))
                    case ("t", .integer(let seconds)): reset = duration(seconds: Double(seconds))
                    case ("pk", .undecodedByteSequence(let text)), ("pk", .string(let text)): quota.partition = text
                    default: break
                    }
                }
                // §4.1.2: t is optional. Without it, the policy's window is an upper bound.
                guard quota.remaining >= 0, let known = reset ?? windows[name] else { return nil }
                quota.reset = known
                return quota
            }
            if !quotas.isEmpty { return quotas }
        }
        parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
        var numbers: [String: Int] = [:]
        for (name, member) in members {
            if case .item(let item) = member, case .integer(let number) = item.rfc9651BareItem {
                numbers[name] = Int(clamping: number)
            }
        }
        guard let remaining = numbers["remaining"], let reset = numbers["reset"] else { return nil }
        return [Quota(policy: "", partition: "", remaining: max(0, remaining), reset: duration(seconds: Double(reset)))]
    }

    /// Returns the windows in `RateLimit-Policy: "default";q=100;w=60`, §3.
    private static func windows(in value: String) -> [String: Duration] {
        guard let bytes = value.structuredFieldBytes else { return [:] }
        var parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseListFieldValue() else { return [:] }
        var windows: [String: Duration] = [:]
        for member in members.prefix(maximumQuotas) {
            guard case .item(let item) = member, case .string(let name) = item.rfc9651BareItem else { continue }
            for (key, value) in item.rfc9651Parameters {
                if key == "w", case .integer(let seconds) = value { windows[name] = duration(seconds: Double(seconds)) }
            }
        }
        return windows
    }

    // MARK: - Fields that have no standard

    /// The field families in use, with the names after their prefixes: `X-RateLimit-Remaining` and `-Reset` (GitHub,
    /// GitLab, Discord), `X-Rate-Limit-` (X), `RateLimit-` (drafts 1 to 6), and suffixes for the counted unit (OpenAI:
    /// `-Remaining-Requests`).
    private static let families: [(remaining: HTTPField.Name, resets: [HTTPField.Name])] = [
        ("X-RateLimit-Remaining", ["X-RateLimit-Reset-After", "X-RateLimit-Reset"]),
        ("X-Rate-Limit-Remaining", ["X-Rate-Limit-Reset"]), ("RateLimit-Remaining", ["RateLimit-Reset"]),
        ("X-RateLimit-Remaining-Requests", ["X-RateLimit-Reset-Requests"]),
        ("X-RateLimit-Remaining-Tokens", ["X-RateLimit-Reset-Tokens"]),
        ("Anthropic-RateLimit-Requests-Remaining", ["Anthropic-RateLimit-Requests-Reset"]),
    ].map { (remaining: StaticString, resets: [StaticString]) in
        (HTTPField.Name(constant: remaining), resets.map { HTTPField.Name(constant: $0) })
    }

    private static func plain(_ fields: HTTPFields, _ server: ServerTime) -> [Quota] {
        families.compactMap { family in
            guard let text = fields[family.remaining], let remaining = number(text),
                let reset = family.resets.lazy.compactMap({ fields[$0] }).compactMap({ Self.reset($0, server) }).first
            else { return nil }
            let count = Int(clamping: Int64(exactly: max(0, min(remaining, 1e15)).rounded(.down)) ?? 0)
            return Quota(policy: family.remaining.canonicalName, partition: "", remaining: count, reset: reset)
        }
    }

    private static func number(_ text: String) -> Double? {
        Steps.take(text.utf8.count)
        // Some servers send several numbers for several windows. The first is the strictest.
        let first = text.pieces(at: ",").first.map(String.init) ?? text
        guard let number = Double(String(first.unicodeScalars.filter { $0 != " " })), number.isFinite else {
            return nil
        }
        return number
    }

    /// Parses a reset.
    ///
    /// It may be a number of seconds, a time in seconds or milliseconds since 1970, a date, or a text such as "6m0s".
    private static func reset(_ text: String, _ server: ServerTime) -> Duration? {
        let number = number(text)
        if let wait = server.wait(untilDateIn: number.map { "\($0)" } ?? text) { return min(wait, longestReset) }
        return number.map { duration(seconds: $0) } ?? units(text)
    }

    private static func units(_ text: String) -> Duration? {
        var total = 0.0
        var rest = text[...]
        guard !rest.isEmpty, rest.utf8.count <= 32 else { return nil }
        while !rest.isEmpty {
            let digits = Substring(rest.unicodeScalars.prefix { ("0"..."9").contains($0) || $0 == "." })
            guard let number = Double(digits) else { return nil }
            rest = rest[digits.endIndex...]
            let unit = Substring(rest.unicodeScalars.prefix { ("a"..."z").contains($0) })
            guard let scale = ["ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400][unit] else { return nil }
            total += number * scale
            rest = rest[unit.endIndex...]
        }
        return duration(seconds: total)
    }

    private static func duration(seconds: Double) -> Duration {
        guard seconds > 0 else { return .zero }
        return min(longestReset, .milliseconds(Int64((min(seconds, 1e9) * 1000).rounded(.up))))
    }
}
