import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// Netscape's `cookies.txt` format, which curl, wget and browser extensions read and write.
///
/// A line has seven fields separated by tabs: domain, whether hosts below it receive the cookie, path, secure, expiry
/// in seconds since 1970 (0 for the session), name, value. The domain of an HTTP-only cookie has the prefix
/// `#HttpOnly_`. The format can't express `SameSite` and `Partitioned`. Cookies with a partition are omitted.
public enum NetscapeCookies {
    /// Parses the cookies of a text.
    ///
    /// - Throws: ``CookieError`` for a line that isn't in the format.
    public static func parse(_ text: String) throws(CookieError) -> [Cookie] {
        var cookies: [Cookie] = []
        for (index, line) in text.utf8.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A })
            .enumerated()
        {
            Steps.take(line.count)
            var line = line[...]
            if line.last == 0x0D { line = line.dropLast() }
            let isHTTPOnly = line.starts(with: httpOnly.utf8)
            if isHTTPOnly { line = line.dropFirst(httpOnly.utf8.count) }
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            let fields = line.split(separator: 0x09, omittingEmptySubsequences: false).map { String(Substring($0)) }
            // curl omits the tab before an empty value.
            guard fields.count == 7 || fields.count == 6,
                isDomain(fields[0].without(prefix: ".") ?? fields[0][...]),
                let expires = Double(fields[4]),
                expires.isFinite, fields[2].utf8.first == UInt8(ascii: "/")
            else { throw CookieError(problem: .invalidLine(index + 1)) }
            cookies.append(
                Cookie(
                    fields[5],
                    .init(fields.count == 7 ? fields[6] : ""),
                    domain: fields[0],
                    isHostOnly: fields[1].uppercased() != "TRUE",
                    path: fields[2],
                    expires: expires == 0 ? nil : Date(timeIntervalSince1970: min(max(expires, 1), latest)),
                    isSecure: fields[3].uppercased() == "TRUE",
                    isHTTPOnly: isHTTPOnly
                )
            )
        }
        return cookies
    }

    /// Returns the text for cookies, which is a secret because it contains their values.
    ///
    /// Cookies that the format can't express (with a tab or a line break), or with an invalid domain, are omitted.
    public static func text(for cookies: [Cookie]) -> Secret {
        var text = "# Netscape HTTP Cookie File\n\n"
        for cookie in cookies where cookie.partition == nil && isDomain(cookie.domain[...]) {
            let fields = [
                (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
                cookie.isHostOnly ? "FALSE" : "TRUE",
                cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE",
                cookie.expires.map(seconds) ?? "0",
                cookie.name,
                cookie.value.revealed,
            ]
            if fields.contains(where: { $0.utf8.contains { $0 < 0x20 } }) { continue }
            text += fields.joined(separator: "\t") + "\n"
        }
        return Secret(text)
    }

    /// Whether this is a domain; one leading dot has already been removed.
    private static func isDomain(_ name: Substring) -> Bool { !name.isEmpty && !name.begins(with: ".") }

    /// Since 0 means no expiry, the first second of 1970 is written as one second later.
    ///
    /// ``HTTPDate`` limits the years to those that can be written.
    private static func seconds(_ date: Date) -> String {
        let whole = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.up))
        return String(Int64(max(1, HTTPDate(whole).date.timeIntervalSince1970)))
    }

    private static let latest = 253_402_300_799.0
    private static let httpOnly = "#HttpOnly_"
}
