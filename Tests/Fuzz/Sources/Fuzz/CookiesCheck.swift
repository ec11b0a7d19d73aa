import Foundation
import HTTPChainCore

@testable import HTTPChainCookies
@testable import HTTPChainSupport

/// `Set-Cookie` fields, one a line, the same lines as dates, as a jar's history and as a `cookies.txt`.
///
/// A cookie stays with its host, within the limits and the 400 days; a date that is read is the same when it is written
/// and read again; a jar keeps to its limits and sends what is of the host; and `cookies.txt` brings back what it can
/// hold.
func checkCookies(_ input: Input) -> Int32 {
    let now = Date(timeIntervalSince1970: 1_546_300_800)
    for line in input.lines {
        guard let cookie = try? Cookie(setCookie: line, from: "https://www.example.com/a/b?c", at: now) else {
            continue
        }
        require(["www.example.com", "example.com"].contains(cookie.domain), "the domain \(cookie.domain)")
        require(cookie.isHostOnly == (cookie.domain == "www.example.com") || !cookie.isHostOnly, "the host")
        require(cookie.path.utf8.first == UInt8(ascii: "/"), "the path \(cookie.path)")
        require(cookie.name.utf8.count + cookie.value.revealed.utf8.count <= 4_096, "the size")
        require(cookie.expires.map { $0 <= now + 400 * 86_400 } ?? true, "the end")
        let text = cookie.name + cookie.value.revealed
        require(!text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F || $0 == 0x3B }, "what would be sent")
    }
    for line in input.lines { checkCookieDate(line) }
    checkCookieStorage(input, at: now)
    if let cookies = try? NetscapeCookies.parse(input.lines.joined(separator: "\n")) {
        let text = NetscapeCookies.text(for: cookies).revealed
        let again = (try? NetscapeCookies.parse(text)).map { NetscapeCookies.text(for: $0).revealed }
        require(again == text, "cookies.txt is read as something else")
    }
    return 0
}

private func checkCookieDate(_ text: String) {
    guard let date = CookieDate.parse(text) else { return }
    let written = HTTPDate(date).description
    require(CookieDate.parse(written) == date, "\(text) is \(written), which is read as another date")
    require(HTTPDate(written)?.date == date, "\(text) is \(written), which is another date elsewhere")
    let earliest = -11_644_473_600.0  // 1601
    require((earliest...253_402_300_799).contains(date.timeIntervalSince1970), "\(text) is beyond what can be written")
}

/// Each line is a `Set-Cookie` field of one of several hosts, and a request to another follows it.
private func checkCookieStorage(_ input: Input, at start: Date) {
    var limits = CookieLimits()
    limits.perDomain = 4
    limits.total = 10
    limits.perRequest = 3
    limits.requestField = 200
    var storage = CookieStorage(limits: limits)
    let page = SiteContext.page("https://example.com/", isNavigation: input.bytes.count.isMultiple(of: 2))
    let targets: [(authority: String, target: CookieTarget)] = [
        ("https", "example.com", "/", SiteContext.sameSite), ("http", "www.example.com:8080", "/a/b?c", .sameSite),
        ("https", "a.b.example.com", "/a/", page), ("http", "localhost", "/", page),
        ("https", "shop.co.uk", "/", page), ("https", "[::1]:443", "/a", .sameSite),
    ].compactMap { scheme, authority, path, site in
        CookieTarget("\(scheme)://\(authority)\(path)", site: site).map { (authority, $0) }
    }
    var now = start
    for (index, line) in input.lines.prefix(200).enumerated() {
        let result = storage.store([line], from: targets[index % targets.count].target, at: now)
        require(result.outcomes.count == 1, "\(result.outcomes.count) outcomes of a field")
        require(storage.count == storage.entries.values.map(\.count).reduce(0, +), "the count")
        require(storage.count <= limits.total, "\(storage.count) cookies in all")
        for (domain, entries) in storage.entries {
            require(!entries.isEmpty && entries.count <= limits.perDomain, "\(entries.count) cookies of \(domain)")
            require(entries.allSatisfy { $0.cookie.domain == domain }, "a cookie of another domain than \(domain)")
        }
        for (authority, target) in targets {
            let sent = storage.judgement(of: target, at: now).sent
            let pairs = storage.pairs(for: target, at: now)
            require(pairs.count == sent.count, "\(sent.count) cookies in words, and \(pairs.count) sent")
            require(pairs.isEmpty || storage.mayHaveCookies(forAuthority: authority), "the cookies of \(authority)")
            require(pairs.count <= limits.perRequest, "\(pairs.count) cookies sent")
            let length = pairs.joined(separator: "; ").utf8.count
            require(length <= limits.requestField, "\(length) bytes sent")
            for (pair, cookie) in zip(pairs, sent) {
                let value = cookie.value.revealed
                let text = cookie.name.isEmpty ? value : "\(cookie.name)=\(value)"
                require(pair == text, "another pair than the cookie")
                require(!pair.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F || $0 == 0x3B }, "what is sent")
                require(target.host.isWithin(cookie.host), "\(cookie.domain) for \(authority)")
                require(!cookie.isHostOnly || cookie.host == target.host, "\(cookie.domain) alone for \(authority)")
                require(!cookie.isSecure || target.isSecure, "a secure cookie for \(authority)")
                require(cookie.expires.map { $0 > now } ?? true, "a cookie that has ended")
            }
        }
        now += Double(line.utf8.count)
    }
    _ = storage.remove(because: .removedByApplication) { _ in true }
    require(storage.isEmpty, "cookies that were removed")
    for (authority, _) in targets where !authority.hasPrefix("[") {
        require(!storage.mayHaveCookies(forAuthority: authority), "cookies of \(authority) that were removed")
    }
}
