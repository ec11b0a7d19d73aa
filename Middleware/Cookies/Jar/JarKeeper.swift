import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Represents a jar in the requests of its stage, without keeping the jar in memory.
final class JarKeeper: CookieKeeping {
    struct Reference {
        weak var jar: CookieJar?
    }

    let jar = Locked(Reference())

    func keep(_ fields: HTTPFields, sentAs sent: HTTPRequest?, for request: borrowing Request) async {
        guard fields.contains(.setCookie), let jar = jar.withLock({ $0.jar }) else { return }
        let context = StoringContext(request)
        _ = await context.store(fields, sentAs: sent, in: jar)
    }

    func renew(_ request: inout Request) async {
        guard let jar = jar.withLock({ $0.jar }), let origin = request.origin else { return }
        let own =
            request.options[OwnCookiesNote.self] ?? OwnCookiesNote.Pairs(request.head.headerFields[values: .cookie])
        guard own.areJoined else { return }
        let calls = own.origin == nil || own.origin == origin ? own.pairs : []
        let pairs = await jar.pairs(
            for: CookieTarget(request.head, from: origin, site: request.options[SiteOption.self]),
            at: request.environment.time.date,
            without: own.names
        )
        request.head.headerFields[values: .cookie] = calls + pairs
    }
}

/// The cookies of the call itself, which the jar's cookies are added to.
enum OwnCookiesNote: RequestNote {
    struct Pairs: Sendable, Hashable {
        let pairs: [String]
        let names: Set<ExactText>
        let areJoined: Bool
        /// The only origin that they are sent to; nil if they come from the request's field.
        let origin: Origin?

        init(_ pairs: [String], names: Set<ExactText> = [], areJoined: Bool? = nil, for origin: Origin? = nil) {
            self.pairs = pairs.filter { !$0.isEmpty }
            self.names = names
            self.origin = origin
            self.areJoined = areJoined ?? self.pairs.isEmpty
        }
    }

    static var defaultValue: Pairs? { nil }

    /// No cookies; shared by most calls.
    static let none = PreparedOption(OwnCookiesNote.self, Pairs([]))
    /// A call that doesn't send the jar's cookies.
    static let alone = PreparedOption(OwnCookiesNote.self, Pairs([], areJoined: false))
}
