import Foundation
import HTTPChainCookies
import HTTPChainCore

/// `Set-Cookie` fields, one a line, and the same lines as a `cookies.txt`.
///
/// A cookie stays with its host, within the limits and the 400 days, and `cookies.txt` brings back what it can hold.
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
    if let cookies = try? NetscapeCookies.parse(input.lines.joined(separator: "\n")) {
        let text = NetscapeCookies.text(for: cookies).revealed
        let again = (try? NetscapeCookies.parse(text)).map { NetscapeCookies.text(for: $0).revealed }
        require(again == text, "cookies.txt is read as something else")
    }
    return 0
}
