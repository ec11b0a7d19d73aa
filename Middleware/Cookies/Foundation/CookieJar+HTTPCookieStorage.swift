public import Foundation
public import HTTPChainCookies

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension CookieJar {
    /// Copies the cookies of a Foundation storage to the jar, replacing those with the same names, domains and paths.
    ///
    /// This is a one-time copy: later changes on either side aren't copied.
    ///
    /// - Parameters:
    ///   - storage: The storage, such as `HTTPCookieStorage.shared`.
    ///   - now: The current time; the system's by default. Expired cookies are omitted.
    /// - Returns: The number of cookies copied.
    /// - Throws: ``/HTTPChainCookies/CookieError`` if the jar's file can't be written; the cookies are still kept in
    ///   memory.
    @discardableResult
    public func set(from storage: HTTPCookieStorage, at now: Date = Date()) async throws -> Int {
        let cookies = (storage.cookies ?? []).map { Cookie($0, created: now) }
            .filter { cookie in cookie.expires.map { $0 > now } ?? true }
        try await set(cookies, at: now)
        return cookies.count
    }

    /// Copies the jar's cookies to a Foundation storage, for a `URLSession` or a web view of the same user.
    ///
    /// - Parameters:
    ///   - storage: The storage.
    ///   - now: The current time; the system's by default. Expired cookies are omitted.
    /// - Returns: The cookies that Foundation can't store: partitioned ones, and those that it refuses.
    @discardableResult
    public func copy(to storage: HTTPCookieStorage, at now: Date = Date()) async -> [Cookie] {
        await cookies(at: now).filter { cookie in
            guard let copy = HTTPCookie(cookie) else { return true }
            storage.setCookie(copy)
            return false
        }
    }
}
