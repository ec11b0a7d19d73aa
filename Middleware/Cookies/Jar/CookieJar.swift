public import Foundation
import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// Stores the cookies of one user.
///
/// ```swift
/// let jar = try await CookieJar(file: cookiesURL)  // or CookieJar(), in memory
/// let chain = try Chain(transport: transport) {
///     RedirectMiddleware()
///     CookieMiddleware(jar)
/// }
/// ```
///
/// The rules are those of RFC 6265bis, the draft that replaces RFC 6265, with the limits of browsers
/// (``CookieLimits``). Values are ``/HTTPChainCore/Secret``s: they don't appear in descriptions, logs and traces.
///
/// A jar is for a single user. If a program has several users, each has a separate jar, and
/// ``CookieMiddleware/init(use:jar:)`` chooses one for each request.
public final class CookieJar: Sendable {
    private struct State: Sendable {
        var storage: CookieStorage
        /// The revision of the file whose cookies are in the storage.
        var revision: String?
        var absences = CookieAbsences()
        var listeners: [UUID: AsyncStream<CookieChange>.Continuation] = [:]

        /// Records refused and removed cookies, and notifies the listeners.
        mutating func note(_ result: CookieStorage.Result) {
            absences.note(result)
            guard !listeners.isEmpty else { return }
            for effect in result.effects {
                for listener in listeners.values { listener.yield(effect) }
            }
        }
    }

    private let state: Locked<State>
    private let occupancy = CookieOccupancy()
    private let file: CookieFile?
    private let lastFileFailure = Locked<CookieError?>(nil)
    /// A note on requests, from which stages that share responses see which jar stores the cookies.
    let keeper: PreparedOption

    /// Creates an empty jar in memory.
    ///
    /// - Parameter limits: The limits of the jar.
    public convenience init(limits: CookieLimits = CookieLimits()) {
        self.init(CookieStorage(limits: limits), nil)
    }

    /// Opens a jar in a file, which is created with the first cookie.
    ///
    /// Several processes may share the file. Each change is written atomically before it is reported, so that the file
    /// has either the old or the new content if a process ends during a change. A change by another process is visible
    /// with the next call. Only this user can access the file (mode 0600).
    ///
    /// - Parameters:
    ///   - file: The file; its directory must exist.
    ///   - keepsSessionCookies: Whether cookies without an expiry date are also written; false by default, so that they
    ///     end with the process.
    ///   - limits: The limits of the jar.
    /// - Throws: ``CookieError`` if the file can't be read, is damaged, belongs to another user or can be read by
    ///   others. The file is left unchanged.
    public convenience init(
        file: URL,
        keepsSessionCookies: Bool = false,
        limits: CookieLimits = CookieLimits()
    ) async throws {
        try await self.init(
            CookieFile(path: file.path(percentEncoded: false), keepsSessionCookies: keepsSessionCookies),
            limits: limits
        )
    }

    convenience init(_ file: CookieFile, limits: CookieLimits = CookieLimits()) async throws(CookieError) {
        let content = try await file.read()
        self.init(
            CookieStorage(limits: limits).merged(with: content.cookies, keepingSession: false),
            file,
            revision: content.revision
        )
    }

    private init(_ storage: CookieStorage, _ file: CookieFile?, revision: String? = nil) {
        state = Locked(State(storage: storage, revision: revision))
        self.file = file
        let identity = JarKeeper()
        keeper = PreparedOption(CookieKeeperNote.self, identity)
        identity.jar.withLock { $0.jar = self }
    }

    /// The last failure to read or write the jar's file; nil after a successful change, and for a jar in memory.
    public var fileFailure: CookieError? { lastFileFailure.withLock { $0 } }

    deinit {
        for listener in state.withLock({ $0.listeners }).values { listener.finish() }
    }

    /// The number of cookies, including expired ones that haven't been removed yet.
    package var count: Int { state.withLock { $0.storage.count } }

    /// Whether the jar is certainly empty: there is no cookie in memory, and no file that another process may have
    /// changed.
    var isCertainlyEmpty: Bool { file == nil && occupancy.isEmpty }

    /// Whether a request may carry cookies of the jar; true if this can't be determined, or depends on a file.
    func mayHaveCookies(forAuthority authority: String?) -> Bool {
        guard file == nil, let authority else { return true }
        return state.withLock { $0.storage.mayHaveCookies(forAuthority: authority) }
    }

    /// Returns all unexpired cookies, oldest first, or those that a request to a URL carries, in the order of the
    /// `Cookie` field.
    ///
    /// - Parameters:
    ///   - url: An absolute URL. If it has no host, no cookies are returned. If it is nil, the default, all cookies are
    ///     returned.
    ///   - method: The request's method, which affects ``SiteContext/page(_:isNavigation:)``.
    ///   - site: The site context of the request.
    ///   - now: The current time; the system's by default.
    public func cookies(
        for url: String? = nil,
        method: HTTPRequest.Method = .get,
        site: SiteContext = .sameSite,
        at now: Date = Date()
    ) async -> [Cookie] {
        guard let url else {
            await refresh()
            return state.withLock { $0.storage.cookies }.filter { !$0.isExpired(at: now) }
        }
        guard let target = CookieTarget(url, method: method, site: site) else { return [] }
        await refresh()
        return state.withLock { $0.storage.judgement(of: target, at: now).sent }
    }

    /// Explains which cookies a request to a URL carries, and why it doesn't carry the other cookies of its host and
    /// the domains above it: those in the jar, and those that the jar refused or no longer has.
    ///
    /// The jar remembers the last 256 refused or removed cookies since it was created, without their values.
    ///
    /// - Parameters:
    ///   - url: An absolute URL.
    ///   - method: The request's method.
    ///   - site: The site context of the request.
    ///   - now: The current time; the system's by default.
    public func explain(
        _ url: String,
        method: HTTPRequest.Method = .get,
        site: SiteContext = .sameSite,
        at now: Date = Date()
    ) async -> CookieExplanation {
        await refresh()
        guard let target = CookieTarget(url, method: method, site: site) else {
            return CookieExplanation(url: Redaction.standard.url(url), sent: [], withheld: [], absent: [])
        }
        let (judgement, absent) = state.withLock { state in
            (state.storage.judgement(of: target, at: now), state.absences.of(target.host))
        }
        return CookieExplanation(
            url: Redaction.standard.url(url),
            sent: judgement.sent,
            withheld: judgement.withheld.map { .init(cookie: $0.0, reason: $0.1) },
            absent: absent
        )
    }

    /// Stores the `Set-Cookie` fields of a response from a URL.
    ///
    /// - Parameters:
    ///   - fields: The values of the fields, in order.
    ///   - url: The URL that the response came from.
    ///   - site: The site context of the request.
    ///   - now: The current time; the system's by default.
    /// - Returns: The outcome of each field.
    /// - Throws: ``CookieError`` if the jar's file can't be written. The cookies are still kept in memory.
    @discardableResult
    public func store(
        _ fields: [String],
        from url: String,
        site: SiteContext = .sameSite,
        at now: Date = Date()
    ) async throws -> [CookieOutcome] {
        guard let target = CookieTarget(url, site: site) else {
            return fields.map { _ in CookieOutcome(name: "", domain: "", reason: .unknownOrigin) }
        }
        let (result, failure) = await store(fields, from: target, at: now)
        if let failure { throw failure }
        return result.outcomes
    }

    /// Stores cookies.
    ///
    /// Each replaces the one with the same name, domain, path and partition. If the new cookie has expired, the old one
    /// is only removed.
    ///
    /// The application is trusted: prefixes, public suffixes and the secure flag are not checked.
    ///
    /// - Throws: ``CookieError`` if the jar's file can't be written. The cookies are still kept in memory.
    public func set(_ cookies: [Cookie], at now: Date = Date()) async throws {
        try await change { storage in .init(effects: cookies.flatMap { storage.insert($0, at: now) }) }
    }

    /// Removes cookies.
    ///
    /// - Throws: ``CookieError`` if the jar's file can't be written. The cookies are still removed from memory.
    public func remove(where isRemoved: @escaping @Sendable (Cookie) -> Bool) async throws {
        try await change { .init(effects: $0.remove(because: .removedByApplication, where: isRemoved)) }
    }

    /// Removes all cookies, for example when the user signs out.
    ///
    /// - Throws: ``CookieError`` if the jar's file can't be written.
    public func removeAll() async throws {
        try await remove { _ in true }
    }

    /// Removes the cookies that end with the session, that is, without an expiry date: RFC 6265bis §5.7.
    ///
    /// - Throws: ``CookieError`` if the jar's file can't be written.
    public func endSession() async throws {
        try await change { .init(effects: $0.remove(because: .sessionEnded) { !$0.isPersistent }) }
    }

    /// A stream of changes from now on, by any process that shares the jar's file.
    ///
    /// For a slow listener, the latest 256 changes are kept, and older ones are dropped.
    public var changes: AsyncStream<CookieChange> {
        let id = UUID()
        let (stream, continuation) = AsyncStream.makeStream(
            of: CookieChange.self,
            bufferingPolicy: .bufferingNewest(256)
        )
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
        }
        state.withLock { $0.listeners[id] = continuation }
        return stream
    }
}

extension CookieJar {
    /// Returns the pairs of name and value in the `Cookie` field of a request.
    func pairs(for target: CookieTarget, at now: Date, without replaced: Set<ExactText>) async -> [String] {
        await refresh()
        return state.withLock { $0.storage.pairs(for: target, at: now, without: replaced) }
    }

    /// Stores fields; if the file can't be written, stores them only in memory.
    func store(
        _ fields: [String],
        from target: CookieTarget,
        at now: Date
    ) async -> (result: CookieStorage.Result, failure: CookieError?) {
        let stored = Locked(CookieStorage.Result())
        var failure: CookieError?
        do throws(CookieError) {
            try await change { storage in
                let result = storage.store(fields, from: target, at: now)
                stored.withLock { $0 = result }
                return result
            }
        } catch {
            failure = error
        }
        return (stored.withLock { $0 }, failure)
    }

    /// Returns the cookies of the host and the domains above it that a request does not carry, with the reasons.
    func withheld(from target: CookieTarget, at now: Date, replaced: Set<ExactText>) -> [(Cookie, CookieReason)] {
        let (sent, withheld) = state.withLock { $0.storage.judgement(of: target, at: now) }
        return withheld + sent.filter { replaced.contains(ExactText($0.name)) }.map { ($0, .replacedByCall) }
    }

    /// Changes the cookies in memory and in the file, if there is one.
    ///
    /// If the file can't be written, changes them only in memory.
    private func change(
        _ change: @escaping @Sendable (inout CookieStorage) -> CookieStorage.Result
    ) async throws(CookieError) {
        guard let file else { return changeMemory(change) }
        let isApplied = Locked(false)
        do throws(CookieError) {
            try await file.update { [self] () throws(CookieError) in
                var (changed, revision) = state.withLock { ($0.storage, $0.revision) }
                var result = CookieStorage.Result()
                if let written = try file.content(unless: revision) {
                    result.effects = merge(written, into: &changed)
                    revision = written.revision
                }
                let own = change(&changed)
                result.outcomes = own.outcomes
                result.effects += own.effects
                let writing = Result { () throws(CookieError) in try file.write(changed) }
                if case .success(let written) = writing { revision = written }
                // If the file can't be written, memory has this change as well as those of other processes.
                state.withLock { [changed, revision, result] state in
                    state.storage = changed
                    state.revision = revision
                    state.note(result)
                }
                isApplied.withLock { $0 = true }
                _ = try writing.get()
            }
            lastFileFailure.withLock { $0 = nil }
        } catch {
            lastFileFailure.withLock { $0 = error }
            if !isApplied.withLock({ $0 }) { changeMemory(change) }
            throw error
        }
    }

    private func changeMemory(_ change: @Sendable (inout CookieStorage) -> CookieStorage.Result) {
        state.withLock { state in
            let result = change(&state.storage)
            occupancy.isEmpty = state.storage.isEmpty
            state.note(result)
        }
    }

    /// Applies changes made by another process.
    private func refresh() async {
        guard let file else { return }
        do throws(CookieError) {
            let known = state.withLock { $0.revision }
            guard let written = try await file.read(unless: known) else { return }
            state.withLock { state in
                // A change by this process has merged at least this content in the meantime.
                guard state.revision.hasSameBytes(as: known) else { return }
                let effects = merge(written, into: &state.storage)
                state.revision = written.revision
                state.note(.init(effects: effects))
            }
        } catch {
            lastFileFailure.withLock { $0 = error }
        }
    }

    /// Replaces the cookies by those of the file, and returns the differences.
    private func merge(_ content: CookieFile.Content, into storage: inout CookieStorage) -> [CookieChange] {
        let keepsSession = !(file?.keepsSessionCookies ?? false)
        let merged = storage.merged(with: content.cookies, keepingSession: keepsSession)
        defer { storage = merged }
        return storage.differences(to: merged, at: Date())
    }
}
