package import Foundation
import HTTPChainSupport
package import HTTPTypes

/// The Retry-After field, RFC 9110 §10.2.3.
package enum RetryAfter {
    /// Returns the wait that the server requests, or `nil` if the field is absent or invalid.
    ///
    /// A date is interpreted by the server's clock (``ServerTime``). If there are several values, the longest is used,
    /// because it satisfies all of them.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - now: The local date.
    package static func wait(in fields: HTTPFields, now: Date) -> Duration? {
        guard fields[.retryAfter] != nil else { return nil }
        let server = ServerTime(fields, now: now)
        return fields[values: .retryAfter].flatMap { waits(in: $0, by: server) }.max()
    }

    /// Returns the time for which an overloaded server asks clients to pause, with 429 (RFC 6585 §4) or 503 (RFC 9110
    /// §15.6.4); `nil` for other statuses, and if the server doesn't ask.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - now: The local date.
    package static func pause(askedBy head: HTTPResponse, now: @autoclosure () -> Date) -> Duration? {
        let code = head.status.code
        return code == 429 || code == 503 ? wait(in: head.headerFields, now: now()) : nil
    }

    /// Parses the values of a field.
    ///
    /// Transports join repeated fields with commas, and most dates contain a comma too.
    private static func waits(in value: String, by server: ServerTime) -> [Duration] {
        let parts = value.pieces(at: ",", omittingEmptySubsequences: false)
        var waits: [Duration] = []
        var index = parts.startIndex
        while index < parts.endIndex {
            if index + 1 < parts.endIndex, let date = HTTPDate("\(parts[index]),\(parts[index + 1])", now: server.now) {
                waits.append(server.wait(until: date.date, roundedTo: 1000))
                index += 2
                continue
            }
            if let seconds = seconds(parts[index]) {
                waits.append(seconds)
            } else if let date = HTTPDate(parts[index], now: server.now) {
                waits.append(server.wait(until: date.date, roundedTo: 1000))
            }
            index += 1
        }
        return waits
    }

    private static func seconds(_ text: Substring) -> Duration? {
        let digits = text.utf8.drop(while: ASCII.isSpace).reversed().drop(while: ASCII.isSpace)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // A number that doesn't fit an integer is longer than any wait.
        guard let seconds = Int64(String(decoding: digits.reversed(), as: UTF8.self)) else { return .longest }
        return .seconds(min(seconds, Duration.longest.components.seconds))
    }
}
