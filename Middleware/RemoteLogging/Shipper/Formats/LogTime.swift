import Foundation
import HTTPChainSupport

extension Date {
    /// Nanoseconds since 1970, clamped to 63 bits: from 1970 to April 2262.
    var unixNanoseconds: UInt64 {
        let time = timeIntervalSinceReferenceDate
        let whole = time.rounded(.down)
        // The comparison is also `false` for NaN.
        guard whole >= -Self.timeIntervalBetween1970AndReferenceDate else { return 0 }
        guard whole < 8_245_064_836 else { return UInt64(Int64.max) }
        let seconds = UInt64(Int64(whole) + 978_307_200)
        return seconds * 1_000_000_000 + UInt64(((time - whole) * 1e9).rounded())
    }
}

/// Writes RFC 3339 times in UTC with microseconds.
///
/// It caches the text of the current second, because the next record is usually from the same second.
struct TimestampWriter {
    private var second: UInt64?
    private var text: [UInt8] = []

    /// Appends `2026-11-21T15:19:20.123456Z`.
    mutating func write(_ date: Date, to writer: inout JSONWriter) {
        // A date doesn't have nanosecond precision. Rounding results in the intended microsecond.
        let microseconds = (date.unixNanoseconds + 500) / 1000
        let (second, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if second != self.second {
            self.second = second
            let date = Date(timeIntervalSince1970: TimeInterval(second))
            text = Array((RFC3339.text(date, .seconds) ?? "").utf8.dropLast()) + [UInt8(ascii: ".")]
        }
        writer.raw(text)
        writer.integer(fraction, digits: 6)
        writer.raw("Z")
    }
}
