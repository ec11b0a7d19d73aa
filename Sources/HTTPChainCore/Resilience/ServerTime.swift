package import Foundation
import HTTPChainSupport
package import HTTPTypes

/// The clock of a server as a response shows it: dates that the server writes are read by it, since the local clock may
/// be minutes off.
package struct ServerTime: Sendable, Hashable {
    /// The time that it is for the server: the response's `Date` (RFC 9110 §6.6.1) and the `Age` that caches added to it
    /// (RFC 9111 §5.1); the local date if there is no `Date`.
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
        let age = fields[.age].flatMap { UInt32($0) } ?? 0
        now = date.addingTimeInterval(TimeInterval(age))
    }

    /// The time until a moment of the server's clock: never negative, and at most ``Swift/Duration/longest``.
    ///
    /// - Parameters:
    ///   - date: The moment.
    ///   - unit: The number of milliseconds that the time is rounded up to a multiple of.
    package func wait(until date: Date, roundedTo unit: Int64 = 1) -> Duration {
        let seconds = date.timeIntervalSince(now)
        guard seconds > 0 else { return .zero }
        let milliseconds = min(seconds, Double(Duration.longest.components.seconds)) * 1000
        return .milliseconds(Int64((milliseconds / Double(unit)).rounded(.up)) * unit)
    }

    /// A moment of the server's clock by the local clock.
    package func local(_ date: Date) -> Date { date.addingTimeInterval(local.timeIntervalSince(now)) }

    /// The time until a moment that a text names: an HTTP date, one of RFC 3339, or a number of seconds or milliseconds
    /// since 1970; `nil` for any other text, a number of seconds from now among them.
    package func wait(untilDateIn text: String) -> Duration? {
        if let number = Double(text), number.isFinite {
            // 10^9 seconds are in 2001, and 10^11 in 5138: milliseconds of our time are more.
            guard number > 1e9 else { return nil }
            return wait(until: Date(timeIntervalSince1970: number > 1e11 ? number / 1000 : number))
        }
        return (HTTPDate(text, now: now)?.date ?? RFC3339.date(text)).map { wait(until: $0) }
    }
}
