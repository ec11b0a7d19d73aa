public import HTTPChainCore
import HTTPTypes

/// Sends the cookies of a jar, and stores those set by responses.
///
/// ```swift
/// let jar = CookieJar()
/// let chain = try Chain(transport: transport) {
///     RedirectMiddleware()
///     CookieMiddleware(jar)
/// }
/// try await chain.send(.post("https://example.com/login", body: form))
/// print(await jar.explain("https://example.com/account"))
/// ```
///
/// The rules are those of RFC 6265bis: domains and public suffixes, paths, `Secure` (the local machine counts as
/// secure), `SameSite`, `Partitioned`, name prefixes, limits and eviction. There is no API for scripts
/// (`document.cookie`), so `HttpOnly` is kept but has no effect.
///
/// If a call has its own `Cookie` field, it is sent unchanged, without the jar's cookies, except with
/// ``CookieUse/joined``. The transport's own cookie handling is disabled.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/cookies``: inside redirects, so that each hop stores and sends its own
/// cookies, and outside the cache, so that `Vary: Cookie` sees what is sent. Only fields received for the call set
/// cookies: those of a stored response don't, but those of the 304 that validated it do. Cookies of a response that is
/// discarded before another attempt (401, 415, 503) are stored, and sent with that attempt (RFC 6265 §3). The same
/// applies to the requests that one call makes, such as the parts of an upload or the rest of a download.
///
/// **Users.** With a jar for each user, the jar that is chosen first is used for the whole call, with its redirects and
/// retries, even if another user signs in meanwhile.
///
/// **Options.** ``HTTPChainCore/Request/cookies(_:)-(CookieUse)`` (``CookieUse``), `cookies(["language": "de"])`,
/// ``HTTPChainCore/Request/site(_:)``. ``HTTPChainCore/Response/cookieOutcomes`` has the outcome of each `Set-Cookie`;
/// a trace (``/HTTPChainCore/Chain/trace(_:)``) has the reasons for every cookie that was not sent, not stored or
/// evicted.
///
/// **Errors.** ``CookieError`` for a cookie of the call that can't be sent. If a jar's file can't be written, the call
/// doesn't fail: the jar keeps the cookies in memory, and ``CookieJar/fileFailure`` has the reason.
public struct CookieMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, BuiltInStage, IdentifyingMiddleware {
    private enum Source: Sendable {
        case one(CookieJar)
        case chosen(JarChoice)
    }

    private let source: Source
    private let use: CookieUse

    /// Creates the stage with one jar for all calls.
    ///
    /// - Parameters:
    ///   - jar: The jar; a new one in memory by default.
    ///   - use: The default use of cookies; sends and stores by default.
    public init(_ jar: CookieJar = CookieJar(), use: CookieUse = .on) {
        source = .one(jar)
        self.use = use
    }

    /// Creates the stage with a jar for each user.
    ///
    /// - Parameters:
    ///   - use: The default use of cookies; sends and stores by default.
    ///   - jar: A closure that returns the jar for a request, or nil if only the request's own cookies are sent and
    ///     none are stored. If it returns another jar for a later request of the same call, the first one is used.
    public init(use: CookieUse = .on, jar: @escaping @Sendable (borrowing Request) -> CookieJar?) {
        source = .chosen(JarChoice(jar))
        self.use = use
    }

    /// Inside redirects.
    package var stagePhase: Phase { .cookies }

    /// Whether there is a jar for each user.
    package var addsIdentity: Bool {
        if case .chosen = source { true } else { false }
    }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [CookieUseOption.self, CookiesOption.self, SiteOption.self] }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        let jar =
            switch source {
            case .one: "one for all calls"
            case .chosen: "chosen for each call"
            }
        return StageSummary(
            "CookieMiddleware",
            purpose: "sends and stores cookies",
            settings: ["jar": jar, "sends": "\(use.sends)", "stores": "\(use.stores)"]
        )
    }

    /// Reports a second cookie stage, a transport that handles cookies itself, and, with a jar for each user, an inner
    /// stage that doesn't separate users.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        let name = summary.name
        if place.inside.contains(where: { $0 is CookieMiddleware }) {
            return [ChainProblem(stage: name, problem: "\(name) is in the chain twice", fix: "remove one")]
        }
        if place.capabilities.contains(.handlesCookies) {
            return [
                ChainProblem(
                    stage: name,
                    problem: "\(name) has no effect: \(place.transportName) handles cookies itself",
                    fix: "switch that off in the transport, or remove the stage"
                )
            ]
        }
        guard case .chosen = source else { return [] }
        return (place.inside + place.nested).compactMap { $0 as? any SharingMiddleware }.filter {
            !$0.userPartition.isApart && !$0.userPartition.isShared
        }.map { sharing in
            let other = sharing.summary.name
            return ChainProblem(
                stage: name,
                problem: "\(name) has a jar for each user, but \(other) inside it treats all callers as one",
                fix: "give \(other) partition: .by { … } with the user's name, or .shared if responses are the same "
                    + "for all users"
            )
        }
    }

    /// Marks cookies as handled by this stage.
    package func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        inner.union(.handlesCookies)
    }

    /// Adds the `Cookie` field and stores the cookies set by the response.
    ///
    /// - Throws: ``CookieError``; errors of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        // The most common case is handled first, and does only what is necessary.
        guard case .one(let jar) = source, jar.isCertainlyEmpty, use.sends, use.stores,
            !request.options.contains(CookieUseOption.self), !request.options.contains(CookiesOption.self)
        else { return try await interceptWithCookies(request, next) }
        return try await pass(request, next, storingIn: jar)
    }

    private func interceptWithCookies(_ request: consuming Request, _ next: Next) async throws -> Response {
        let use = request.options[CookieUseOption.self].applied(to: self.use) ?? .off
        let jar: CookieJar? =
            switch source {
            case .one(let jar): jar
            case .chosen(let choice): choice.jar(for: request)
            }
        guard let jar else {
            try addOwnCookies(to: &request)
            return try await next(request)
        }
        if !use.sends {
            try addOwnCookies(to: &request)
            request.options.set(OwnCookiesNote.alone)
            request.traceNotes.add("sends none of the jar's cookies, as set by the call or the stage")
        } else if request.options.contains(CookiesOption.self)
            || !jar.isCertainlyEmpty && jar.mayHaveCookies(forAuthority: request.head.authority)
        {
            try await addField(to: &request, from: jar, use: use)
        }
        return use.stores ? try await pass(request, next, storingIn: jar) : try await next(request)
    }

    @inline(__always)
    private func pass(
        _ request: consuming Request,
        _ next: Next,
        storingIn jar: CookieJar
    ) async throws -> Response {
        request.options.set(jar.keeper)
        let context = StoringContext(request)
        let response = try await next(request)
        guard response.head.headerFields.contains(.setCookie) || !response.source.isReceived else { return response }
        let fields = response.receivedFields
        guard fields.contains(.setCookie) else { return response }
        return await store(fields, of: response, in: jar, context)
    }

    /// Adds the call's own cookies without a jar's.
    private func addOwnCookies(to request: inout Request) throws(CookieError) {
        guard request.options.contains(CookiesOption.self), request.origin != nil else { return }
        let pairs = try CookieField(request.cookies).pairs
        guard !pairs.isEmpty else { return }
        request.head.headerFields[values: .cookie] =
            request.head.headerFields[values: .cookie].filter { !$0.isEmpty } + pairs
    }

    private func addField(to request: inout Request, from jar: CookieJar, use: CookieUse) async throws {
        guard let origin = request.origin else { return }
        let own = request.head.headerFields[values: .cookie].filter { !$0.isEmpty }
        let calls = try CookieField(request.cookies)
        var pairs = own + calls.pairs
        let isJoined = own.isEmpty || use.ownField == .joinsJar
        let names = own.isEmpty ? calls.names : calls.names.union(CookieField.names(in: own))
        if pairs.isEmpty {
            request.options.set(OwnCookiesNote.none)
        } else {
            request.options[OwnCookiesNote.self] = OwnCookiesNote.Pairs(
                pairs,
                names: names,
                areJoined: isJoined,
                for: origin
            )
        }
        if isJoined {
            let target = CookieTarget(request.head, from: origin, site: request.options[SiteOption.self])
            let now = request.environment.time.date
            pairs += await jar.pairs(for: target, at: now, without: names)
            request.traceNotes.tell(ofCookiesIn: jar, withheldFrom: target, at: now, replaced: names)
        } else {
            request.traceNotes.add("sends none of the jar's cookies: the call has its own Cookie field")
        }
        // The values are separate fields, because the field table separates them anyway. They are joined for HTTP/1.
        if pairs.count > own.count { request.head.headerFields[values: .cookie] = pairs }
    }

    private func store(
        _ fields: HTTPFields,
        of response: consuming Response,
        in jar: CookieJar,
        _ context: StoringContext
    ) async -> Response {
        let outcomes = await context.store(fields, sentAs: response.request, in: jar)
        response.options[CookieOutcomesFact.self] = outcomes
        // Cookies were stored, so a redirect to a URL that was already requested isn't necessarily a loop.
        if outcomes.contains(where: { $0.reason == nil }) { response.options[CookiesStoredFact.self] = true }
        return response
    }
}

/// The application's choice of a jar for each user.
private final class JarChoice: Sendable {
    private let choose: @Sendable (borrowing Request) -> CookieJar?

    init(_ choose: @escaping @Sendable (borrowing Request) -> CookieJar?) {
        self.choose = choose
    }

    /// Returns the jar for a request: the one that was chosen first in its call.
    func jar(for request: borrowing Request) -> CookieJar? {
        guard let jar = choose(request) else { return nil }
        return request.callIdentity?.first(jar, of: self) ?? jar
    }
}

/// The parts of a request that are needed if its response sets cookies: two references, read only when necessary.
///
/// The head isn't kept, because inner stages would then have to copy its fields before changing them.
struct StoringContext: Sendable {
    let target: HTTPRequest.PseudoHeaderFields
    let options: RequestOptions

    @inline(__always)
    init(_ request: borrowing Request) {
        target = request.head.pseudoHeaderFields
        options = request.options
    }

    func store(_ fields: HTTPFields, sentAs sent: HTTPRequest?, in jar: CookieJar) async -> [CookieOutcome] {
        let values = fields[values: .setCookie]
        guard var target = target(sentAs: sent) else {
            return values.map { _ in CookieOutcome(name: "", domain: "", reason: .unknownOrigin) }
        }
        let now = options.environment.time.date
        target.serverTime = ServerTime(fields, now: now)
        // If the jar's file can't be written, the call doesn't fail.
        let (result, _) = await jar.store(values, from: target, at: now)
        options.traceNotes.tell(of: result)
        return result.outcomes
    }

    /// The target that the response came from, because an inner stage may have sent the request elsewhere.
    private func target(sentAs sent: HTTPRequest?) -> CookieTarget? {
        let site = options[SiteOption.self]
        if let sent, let origin = Origin(scheme: sent.scheme, authority: sent.authority) {
            return CookieTarget(origin: origin, path: sent.path, site: site)
        }
        return Origin(scheme: target.scheme?.value, authority: target.authority?.value).map {
            CookieTarget(origin: $0, path: target.path?.value, site: site)
        }
    }
}
