import HTTPChainCore

/// The state of a value that has to be refreshed now and then, such as a token or a session: which one is in use, and
/// what may be done about it.
///
/// Each change of the value is a generation. Who was sent away with an older one needs no refresh, only the newer one.
struct RefreshState<Value: Sendable>: Sendable {
    /// The version of the value that a call saw when it began.
    struct Version: Sendable, Hashable {
        fileprivate var generation: Int
        fileprivate var failures: Int
    }

    /// A value in use, and the version to ask for another with.
    struct Versioned: Sendable {
        let value: Value
        let version: Version
    }

    /// The advice for a call that cannot use the value it has.
    enum Advice: Sendable {
        /// Use this one, which is newer.
        case use(Versioned)
        /// Fail as the refresh did that ended after the call had begun.
        case fail(any Error)
        /// Refresh, or wait for the refresh that runs.
        case refresh
        /// Do not try again: there were too many refreshes.
        case giveUp
        /// End: this path rejects new tokens too, and another refresh would only be lost for the others.
        case refuse
    }

    /// The state in which a refresh begins.
    enum Beginning: Sendable {
        /// There is a newer value already.
        case use(Versioned)
        /// There is a newer value, and it has to be saved before it is used.
        case save(Versioned)
        /// Make a new value.
        case refresh(replacing: Value?, Refresh)
        /// There were too many.
        case refused
    }

    /// One refresh that has begun.
    struct Refresh: Sendable {
        fileprivate let generation: Int
        fileprivate let time: Duration
    }

    private var value: Value?
    private var generation = 0
    /// The server rejects the value, as far as is known before it was tried to refresh it.
    private var isRejected = false
    private var isUnsaved = false
    private var isRefreshing = false
    private var failures = 0
    private var lastFailure: (any Error)?
    private var window: RefreshWindow
    private var paths: RejectingPaths

    init(_ value: Value?, limit: RefreshLimit) {
        self.value = value
        window = RefreshWindow(limit)
        paths = RejectingPaths(for: limit.interval)
    }

    /// The value as it is, used or not.
    var current: Value? { value }

    var version: Version { Version(generation: generation, failures: failures) }

    /// The value that a call may use; whether it has expired is for the caller to know.
    var usable: Versioned? {
        guard let value, !isRejected, !isUnsaved else { return nil }
        return Versioned(value: value, version: version)
    }

    /// Puts another value in place; `nil` ends its use.
    mutating func replace(with newValue: Value?) {
        value = newValue
        generation += 1
        isRejected = false
        isUnsaved = false
        lastFailure = nil
    }

    /// Notes that the server rejects the value that a call was made with, so that the next call refreshes it.
    mutating func reject(_ version: Version) {
        if version.generation == generation { isRejected = true }
    }

    /// Notes that the server turned a new value down for a path.
    mutating func noteRejection(on path: String?, at now: Duration) {
        if let path { paths.note(path, at: now) }
    }

    /// Returns the advice for a call that had this version.
    ///
    /// - Parameters:
    ///   - version: What the call had.
    ///   - path: What was asked for, when the server rejected the call.
    ///   - now: The moment.
    mutating func advice(for version: Version, on path: String? = nil, at now: Duration) -> Advice {
        if generation != version.generation, let usable { return .use(usable) }
        if failures != version.failures, let lastFailure { return .fail(lastFailure) }
        if let path, !isRefreshing, paths.contains(path, at: now) { return .refuse }
        if isRefreshing || isUnsaved || window.hasRoom(at: now) { return .refresh }
        // Better to be rejected by the server than to try nothing at all.
        isRejected = false
        return .giveUp
    }

    /// Begins a refresh for a call that had this version.
    ///
    /// While it runs, calls that begin wait for it: the value they would use is about to be replaced.
    mutating func begin(for version: Version, at now: Duration) -> Beginning {
        if let value, isUnsaved { return .save(Versioned(value: value, version: self.version)) }
        if generation != version.generation, let usable { return .use(usable) }
        guard window.admit(at: now) else {
            isRejected = false
            return .refused
        }
        isRefreshing = true
        isRejected = true
        return .refresh(replacing: value, Refresh(generation: generation, time: now))
    }

    /// Ends a refresh with a new value.
    ///
    /// - Returns: The new value in use; `nil` when the value was replaced meanwhile, which stays.
    mutating func finish(_ refresh: Refresh, with newValue: Value, isSaved: Bool) -> Versioned? {
        isRefreshing = false
        guard refresh.generation == generation else { return nil }
        replace(with: newValue)
        isUnsaved = !isSaved
        return Versioned(value: newValue, version: version)
    }

    /// Whether the value has not been replaced since.
    func isCurrent(_ current: Versioned) -> Bool { current.version.generation == generation }

    /// The value was saved, and may be used.
    mutating func saved(_ current: Versioned) {
        if current.version.generation == generation { isUnsaved = false }
    }

    /// Ends a refresh without a new value.
    ///
    /// - Parameter keepsValue: Whether the value there is stays in use: the server that rejected it once may have
    ///   meant something else.
    /// - Returns: The value that replaced it meanwhile.
    mutating func fail(_ refresh: Refresh, with error: any Error, keepsValue: Bool) -> Versioned? {
        isRefreshing = false
        guard refresh.generation == generation else { return usable }
        if keepsValue { isRejected = false } else { replace(with: nil) }
        failures += 1
        lastFailure = error
        return nil
    }

    /// Ends a refresh that nobody waits for any more: it counts for nothing.
    mutating func abandon(_ refresh: Refresh) {
        isRefreshing = false
        if refresh.generation == generation { isRejected = false }
        window.withdraw(refresh.time)
    }
}
