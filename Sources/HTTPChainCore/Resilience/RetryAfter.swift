package import Foundation
package import HTTPTypes

/// The Retry-After field, RFC 9110 §10.2.3.
package enum RetryAfter {
    /// The wait that the server asks for; `nil` when it does not say, or nothing that makes sense.
    ///
    /// A date is read by the server's clock (``ServerTime``). Of several values the longest counts: it is the one that
    /// keeps to all of them.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - now: The local date.
    package static func wait(in fields: HTTPFields, now: Date) -> Duration? {
        guard fields[.retryAfter] != nil else { return nil }
        let server = ServerTime(fields, now: now)
        return fields[values: .retryAfter].flatMap { waits(in: $0, by: server) }.max()
    }

    /// The time for which an overloaded server asks for no requests: after 429 (RFC 6585 §4) and 503 (RFC 9110
    /// §15.6.4); `nil` after another status, and where it does not ask.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - now: The local date.
    package static func pause(askedBy head: HTTPResponse, now: @autoclosure () -> Date) -> Duration? {
        let code = head.status.code
        return code == 429 || code == 503 ? wait(in: head.headerFields, now: now()) : nil
    }

    /// Transports join repeated fields with commas, and most dates hold one as well.
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
        // More digits than an integer holds is more than anybody waits for.
        guard let seconds = Int64(String(decoding: digits.reversed(), as: UTF8.self)) else { return .longest }
        return .seconds(min(seconds, Duration.longest.components.seconds))
    }
}
