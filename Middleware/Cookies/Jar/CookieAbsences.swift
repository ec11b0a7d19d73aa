import HTTPChainSupport

/// The cookies that a jar recently refused or removed; they explain why a cookie is missing.
struct CookieAbsences: Sendable {
    private static let capacity = 256
    /// The maximum length of a name that is kept, because a server may use names as long as a whole cookie.
    private static let nameLength = 256

    /// The cookies, latest last.
    private var kept: [CookieExplanation.Absent] = []

    mutating func note(_ result: CookieStorage.Result) {
        for outcome in result.outcomes {
            if let reason = outcome.reason { add(outcome.name, outcome.domain, .refused(reason)) }
        }
        for case .removed(let cookie, let reason) in result.effects {
            add(cookie.name, cookie.domain, .removed(reason))
        }
    }

    /// Returns the cookies of a host and the domains above it, latest last.
    func of(_ host: URLHost) -> [CookieExplanation.Absent] {
        kept.filter { host.isWithin(URLHost(canonical: $0.domain)) }
    }

    private mutating func add(_ name: String, _ domain: String, _ cause: CookieExplanation.Absent.Cause) {
        let absent = CookieExplanation.Absent(
            name: String(decoding: name.utf8.prefix(Self.nameLength), as: UTF8.self),
            domain: domain,
            cause: cause
        )
        // Otherwise, a server that repeats the same refused cookie would displace all other ones.
        if let place = kept.firstIndex(of: absent) {
            kept.remove(at: place)
        } else if kept.count == Self.capacity {
            kept.removeFirst()
        }
        kept.append(absent)
    }
}
