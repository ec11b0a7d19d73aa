/// The state of a value that is refreshed from time to time, such as a token or session.
///
/// Each change of the value begins a generation. Each change by the application, which may change the user, also begins
/// an epoch. A call that was rejected with a value of an older generation only needs the newer value, unless that has
/// another epoch.
struct RefreshState<Value: Sendable>: Sendable {
    /// The version of the value that a call started with; it is small, so that a call stores it without an allocation.
    struct Version: Sendable, Hashable {
        fileprivate let generation: UInt32
        fileprivate let failures: UInt32
        /// The epoch, which is incremented when the user changes, but not by refreshes.
        let epoch: UInt32
        /// Whether there was a value.
        ///
        /// A call that started without a value may use that of any user.
        var isSomebody: Bool

        /// Whether a call that started with this version may use the value of the other version.
        func admits(_ other: Version) -> Bool { !isSomebody || epoch == other.epoch }
    }

    /// A value in use, and its version.
    struct Versioned: Sendable {
        let value: Value
        let version: Version
    }

    /// The advice for a call that can't use its value.
    enum Advice: Sendable {
        /// Use this newer value.
        case use(Versioned)
        /// Fail with the error of a refresh that ended after the call had started.
        case fail(any Error)
        /// Refresh, or wait for the refresh in flight.
        case refresh
        /// Stop: there were too many refreshes.
        case giveUp
        /// Stop: this path also rejects new tokens, and another refresh would be wasted.
        case refuse
        /// Stop: the value is now another user's.
        case changedUser
    }

    /// The state when a refresh starts.
    enum Beginning: Sendable {
        /// A newer value exists.
        case use(Versioned)
        /// A newer value exists, and must be saved before use.
        case save(Versioned)
        /// Create a new value.
        case refresh(replacing: Value?, Refresh)
        /// There were too many refreshes.
        case refused
    }

    /// A refresh that has started.
    struct Refresh: Sendable {
        fileprivate let generation: UInt32
        fileprivate let time: Duration
    }

    private var value: Value?
    private var generation: UInt32 = 0
    private var epoch: UInt32 = 0
    /// Whether the value must not be used, because the server has rejected it or it is being replaced.
    private var isRejected = false
    private var isUnsaved = false
    private var isRefreshing = false
    private var failures: UInt32 = 0
    private var lastFailure: (any Error)?
    private var window: RefreshWindow
    private var paths: RejectingPaths

    init(_ value: Value?, limit: RefreshLimit) {
        self.value = value
        window = RefreshWindow(limit)
        paths = RejectingPaths(for: limit.interval)
    }

    /// The value, even if it can't be used.
    var current: Value? { value }

    var version: Version {
        Version(generation: generation, failures: failures, epoch: epoch, isSomebody: value != nil)
    }

    /// The value that a call may use; the caller checks whether it has expired.
    var usable: Versioned? {
        guard let value, !isRejected, !isUnsaved else { return nil }
        return Versioned(value: value, version: version)
    }

    /// Replaces the value with another user's; `nil` removes it.
    mutating func replace(with newValue: Value?) {
        epoch &+= 1
        renew(with: newValue)
    }

    private mutating func renew(with newValue: Value?) {
        value = newValue
        generation &+= 1
        isRejected = false
        isUnsaved = false
        lastFailure = nil
    }

    /// Marks the value of a call as rejected, so that the next call refreshes it.
    mutating func reject(_ version: Version) {
        if version.generation == generation { isRejected = true }
    }

    /// Records that the server rejected a new value on a path.
    mutating func noteRejection(on path: String?, at now: Duration) {
        if let path { paths.note(path, at: now) }
    }

    /// Returns the advice for a call with this version.
    ///
    /// - Parameters:
    ///   - version: The version that the call had.
    ///   - path: The requested path, if the server rejected the call.
    ///   - now: The current time.
    mutating func advice(for version: Version, on path: String? = nil, at now: Duration) -> Advice {
        guard version.admits(self.version) else { return .changedUser }
        if generation != version.generation, let usable { return .use(usable) }
        if failures != version.failures, let lastFailure { return .fail(lastFailure) }
        if let path, !isRefreshing, paths.contains(path, at: now) { return .refuse }
        if isRefreshing || isUnsaved || window.hasRoom(at: now) { return .refresh }
        // The server may accept the value after all, so it is used rather than failing the call.
        isRejected = false
        return .giveUp
    }

    /// Starts a refresh for a call with this version.
    ///
    /// Calls that start in the meantime wait for it, because their value is about to be replaced.
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
    /// - Returns: The new value in use, or `nil` if the application replaced the value in the meantime.
    mutating func finish(_ refresh: Refresh, with newValue: Value, isSaved: Bool) -> Versioned? {
        isRefreshing = false
        guard refresh.generation == generation else { return nil }
        renew(with: newValue)
        isUnsaved = !isSaved
        return Versioned(value: newValue, version: version)
    }

    /// Whether the given value is still the current one.
    func isCurrent(_ current: Versioned) -> Bool { current.version.generation == generation }

    /// Records that the value was saved, so that it may be used.
    mutating func saved(_ current: Versioned) {
        if current.version.generation == generation { isUnsaved = false }
    }

    /// Ends a refresh without a new value.
    ///
    /// - Parameter keepsValue: Whether the current value stays in use, because the server may have rejected it for
    ///   another reason.
    /// - Returns: The value that replaced it in the meantime.
    mutating func fail(_ refresh: Refresh, with error: any Error, keepsValue: Bool) -> Versioned? {
        isRefreshing = false
        guard refresh.generation == generation else { return usable }
        if keepsValue { isRejected = false } else { renew(with: nil) }
        failures &+= 1
        lastFailure = error
        return nil
    }

    /// Ends a refresh that no call waits for anymore; it doesn't count toward the limit.
    mutating func abandon(_ refresh: Refresh) {
        isRefreshing = false
        if refresh.generation == generation { isRejected = false }
        window.withdraw(refresh.time)
    }
}

/// Counts the refreshes of the last interval.
struct RefreshWindow: Sendable {
    private let limit: RefreshLimit
    private var times: [Duration] = []

    init(_ limit: RefreshLimit) {
        self.limit = limit
    }

    /// Whether another refresh may start.
    mutating func hasRoom(at now: Duration) -> Bool {
        times.removeAll { now - $0 >= limit.interval }
        return times.count < limit.count
    }

    /// Whether another refresh may start; if so, counts it.
    mutating func admit(at now: Duration) -> Bool {
        guard hasRoom(at: now) else { return false }
        times.append(now)
        return true
    }

    /// Reverts ``admit(at:)`` for a refresh that was abandoned.
    mutating func withdraw(_ time: Duration) {
        if let index = times.lastIndex(of: time) { times.remove(at: index) }
    }
}

/// The paths that have rejected a new value; for some time, a 401 from them causes no refresh.
///
/// Otherwise a path that always responds with 401 would use up the refreshes of all other paths.
struct RejectingPaths: Sendable {
    /// Limited, because paths may be built from server data.
    static let capacity = 64

    private let interval: Duration
    private var times: [String: Duration] = [:]

    /// - Parameter interval: The time for which a path is remembered.
    init(for interval: Duration) {
        self.interval = interval
    }

    mutating func note(_ path: String, at now: Duration) {
        guard interval > .zero else { return }
        if times.count >= Self.capacity {
            times = times.filter { now - $0.value < interval }
            if times.count >= Self.capacity, let oldest = times.min(by: { $0.value < $1.value }) {
                times[oldest.key] = nil
            }
        }
        times[Self.key(path)] = now
    }

    func contains(_ path: String, at now: Duration) -> Bool {
        guard !times.isEmpty, let time = times[Self.key(path)] else { return false }
        return now - time < interval
    }

    /// The path without its query.
    private static func key(_ path: String) -> String {
        String(Substring(path.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }
}
