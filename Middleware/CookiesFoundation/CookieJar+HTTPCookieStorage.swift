public import Foundation
public import HTTPChainCookies

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension CookieJar {
    /// Puts the cookies of one of Foundation's storages in the jar, in the place of those with their names, domains and
    /// paths.
    ///
    /// They are copied once: what either side receives later stays with it.
    ///
    /// - Parameters:
    ///   - storage: Foundation's, such as `HTTPCookieStorage.shared`.
    ///   - now: The time: what has ended is left out; the system's by default.
    /// - Returns: How many there were.
    /// - Throws: ``/HTTPChainCookies/CookieJarError`` when the jar's file cannot be written; the cookies are kept in
    ///   memory nevertheless.
    @discardableResult
    public func set(from storage: HTTPCookieStorage, at now: Date = Date()) async throws -> Int {
        let cookies = (storage.cookies ?? []).map { Cookie($0, created: now) }
            .filter { cookie in cookie.expires.map { $0 > now } ?? true }
        try await set(cookies, at: now)
        return cookies.count
    }

    /// Puts the jar's cookies in one of Foundation's storages, for a `URLSession` or a web view of the same user.
    ///
    /// - Parameters:
    ///   - storage: Foundation's.
    ///   - now: The time: what has ended is left out; the system's by default.
    /// - Returns: The cookies that Foundation has no place for: partitioned ones, and those that it refuses.
    @discardableResult
    public func copy(to storage: HTTPCookieStorage, at now: Date = Date()) async -> [Cookie] {
        await cookies(at: now).filter { cookie in
            guard let copy = HTTPCookie(cookie) else { return true }
            storage.setCookie(copy)
            return false
        }
    }
}
