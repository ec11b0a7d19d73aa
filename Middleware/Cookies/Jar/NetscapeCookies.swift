import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// The `cookies.txt` format of Netscape, which curl, wget and browser extensions read and write.
///
/// A line has seven fields with tabs between them: domain, whether its hosts below receive the cookie, path, secure,
/// expiry in seconds since 1970 (0 for the session), name, value. `#HttpOnly_` stands before the domain of such a cookie.
/// `SameSite` and `Partitioned` have no place in it: cookies with a partition are left out.
public enum NetscapeCookies {
    /// The cookies of a text.
    ///
    /// - Throws: ``NetscapeCookieError`` for a line that is none of the format.
    public static func parse(_ text: String) throws(NetscapeCookieError) -> [Cookie] {
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
            // curl leaves the tab before an empty value away.
            guard fields.count == 7 || fields.count == 6,
                isDomain(fields[0].without(prefix: ".") ?? fields[0][...]),
                let expires = Double(fields[4]),
                expires.isFinite, fields[2].utf8.first == UInt8(ascii: "/")
            else { throw NetscapeCookieError(line: index + 1) }
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

    /// The text for cookies; it holds their values, so it is a secret.
    ///
    /// Cookies whose texts would break the format (with a tab or a line break), or whose domain is none, are left out.
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

    /// Whether it is a name; the one dot that may stand before it is gone.
    private static func isDomain(_ name: Substring) -> Bool { !name.isEmpty && !name.begins(with: ".") }

    /// 0 is none, so that 1970 itself is a second later; ``HTTPDate`` keeps to the years that can be written.
    private static func seconds(_ date: Date) -> String {
        let whole = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.up))
        return String(Int64(max(1, HTTPDate(whole).date.timeIntervalSince1970)))
    }

    private static let latest = 253_402_300_799.0
    private static let httpOnly = "#HttpOnly_"
}

/// A line is none of the `cookies.txt` format.
public struct NetscapeCookieError: HTTPChainError, Hashable {
    /// The line, counted from 1.
    public let line: Int

    /// Always "CookieJar".
    public var stage: String { "CookieJar" }

    /// The sentence that names the line; never its content.
    public var reason: String { "line \(line) is not of the cookies.txt format" }

    /// Advice on how a line has to look.
    public var recoverySuggestion: String? {
        "give it a domain, TRUE or FALSE, a path, TRUE or FALSE, seconds, a name and a value, with tabs between them"
    }
}
