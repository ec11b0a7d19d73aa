import HTTPChainSupport

/// The cookies that a jar refused or removed lately, so that it can tell why they are not there.
struct CookieAbsences: Sendable {
    private static let capacity = 256
    /// Of a name, which a server may make as long as a cookie.
    private static let nameLength = 256

    /// The latest last.
    private var kept: [CookieExplanation.Absent] = []

    mutating func note(_ result: CookieStorage.Result) {
        for outcome in result.outcomes {
            if let reason = outcome.reason { add(outcome.name, outcome.domain, .refused(reason)) }
        }
        for case .removed(let cookie, let reason) in result.effects {
            add(cookie.name, cookie.domain, .removed(reason))
        }
    }

    /// Those of a host and the domains above it, the latest last.
    func of(_ host: URLHost) -> [CookieExplanation.Absent] {
        kept.filter { host.isWithin(URLHost(canonical: $0.domain)) }
    }

    private mutating func add(_ name: String, _ domain: String, _ cause: CookieExplanation.Absent.Cause) {
        let absent = CookieExplanation.Absent(
            name: String(decoding: name.utf8.prefix(Self.nameLength), as: UTF8.self),
            domain: domain,
            cause: cause
        )
        // A server that tries the same with each response would drive out all the others.
        if let place = kept.firstIndex(of: absent) {
            kept.remove(at: place)
        } else if kept.count == Self.capacity {
            kept.removeFirst()
        }
        kept.append(absent)
    }
}
