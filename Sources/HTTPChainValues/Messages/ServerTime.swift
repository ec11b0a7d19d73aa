package import Foundation
import HTTPChainSupport
package import HTTPTypes

/// A server's clock, derived from a response.
///
/// It is used to interpret dates that the server sends, because the local clock may be off by minutes.
package struct ServerTime: Sendable, Hashable {
    /// The current time of the server: the response's `Date` (RFC 9110 §6.6.1) plus the `Age` added by caches (RFC 9111
    /// §5.1), or the local date if there is no `Date`.
    package let now: Date
    private let local: Date

    /// Reads the fields of a response that has just arrived.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - local: The local date.
    package init(_ fields: HTTPFields, now local: Date) {
        self.local = local
        guard let date = fields[.date].flatMap({ HTTPDate($0, now: local)?.date }) else {
            now = local
            return
        }
        // Only digits (RFC 9111 §1.2.2).
        let age = fields[.age].flatMap { ContentLength.number(Substring($0).utf8) }.flatMap(UInt32.init(exactly:)) ?? 0
        now = date.addingTimeInterval(TimeInterval(age))
    }

    /// Returns the time until a date on the server's clock: never negative, and at most ``Swift/Duration/longest``.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - unit: The unit in milliseconds to which the time is rounded up.
    package func wait(until date: Date, roundedTo unit: Int64 = 1) -> Duration {
        let seconds = date.timeIntervalSince(now)
        guard seconds > 0 else { return .zero }
        let milliseconds = min(seconds, Double(Duration.longest.components.seconds)) * 1000
        return .milliseconds(Int64((milliseconds / Double(unit)).rounded(.up)) * unit)
    }

    /// Converts a date on the server's clock to the local clock.
    package func local(_ date: Date) -> Date { date.addingTimeInterval(local.timeIntervalSince(now)) }

    /// Returns the time until a date in a text: an HTTP date, an RFC 3339 date, or a number of seconds or milliseconds
    /// since 1970.
    ///
    /// Returns `nil` for any other text, including a number of seconds from now.
    package func wait(untilDateIn text: String) -> Duration? {
        if let number = Double(text), number.isFinite {
            // As seconds, 10^9 is in 2001 and 10^11 is in 5138. Current times in milliseconds are larger than both.
            guard number > 1e9 else { return nil }
            return wait(until: Date(timeIntervalSince1970: number > 1e11 ? number / 1000 : number))
        }
        return (HTTPDate(text, now: now)?.date ?? RFC3339.date(text)).map { wait(until: $0) }
    }
}
