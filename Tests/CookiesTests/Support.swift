#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore

/// A moment at which the dates of the public cases lie where they are meant to: some before, some after.
let now = Date(timeIntervalSince1970: 1_546_300_800)  // 2019-01-01

/// A jar's rules alone, driven like a browser.
struct Browser {
    var storage = CookieStorage()
    var now = CookiesTests.now

    /// - Returns: Why the last field was not stored.
    @discardableResult
    mutating func receive(
        _ fields: String...,
        from url: String = "https://www.example.com/",
        site: SiteContext = .sameSite
    ) -> CookieReason? {
        guard let target = CookieTarget(url, site: site) else { return .unknownOrigin }
        return storage.store(fields, from: target, at: now).outcomes.last?.reason
    }

    mutating func field(for url: String = "https://www.example.com/", site: SiteContext = .sameSite) -> String? {
        CookieTarget(url, site: site).flatMap { storage.field(for: $0, at: now) }
    }
}

extension CookieStorage {
    /// The `Cookie` field of a request as HTTP/1 has it.
    mutating func field(for target: CookieTarget, at now: Date) -> String? {
        let pairs = pairs(for: target, at: now)
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }
}
#endif
