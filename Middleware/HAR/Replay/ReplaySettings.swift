public import HTTPChainCore

/// The rule for when a replay uses the network, and how it changes the archive.
public enum ReplayMode: String, Sendable, Hashable, CaseIterable {
    /// Never uses the network: a request that isn't in the archive fails.
    case none
    /// Uses the network for all requests if there is no archive, or it has expired; otherwise never.
    case once
    /// Uses the network for requests that aren't in the archive, and adds them; records expired entries again.
    case new
    /// Uses the network for every request: replaces requested entries, and keeps the others.
    case all
    /// Uses the network for every request: afterwards, the archive contains only these requests.
    case update
}

/// The choice among several matching entries.
public enum ReplaySequence: Sendable, Hashable {
    /// Always the first.
    case first
    /// Each entry once, in order; when all are used, a further request fails.
    case nextThenFail
    /// Each entry in order; the last one repeatedly.
    case nextThenLast
}

/// The settings of a replay.
public struct ReplaySettings: Sendable {
    /// The rules for matching a request with a recorded one.
    public var matching = ReplayMatching.standard
    /// The choice among several matching entries; each once, in order, by default.
    public var sequence = ReplaySequence.nextThenFail
    /// Whether requests must be sent in the order of the archive, with each entry once; `false` by default.
    public var keepsOrder = false
    /// The factor for the recorded times, until the head and between the chunks of the body, on the clock of the
    /// request's environment: 0, the default, for no delay; 1 for the recorded delays.
    public var delayFactor = 0.0
    /// The maximum age of an entry; unlimited by default.
    ///
    /// In ``ReplayMode/none``, older entries aren't replayed, and the error says so.
    public var expiry: Duration?
    /// Whether `Date` and `Expires` of a response are moved to the present, so that a cache considers it as fresh as
    /// when it was recorded; `true` by default.
    public var shiftsDates = true
    /// The maximum size of a request's content that is compared; 16 MiB by default.
    public var bodyLimit: ByteCount = .mebibytes(16)
    /// The size limits for reading an archive.
    public var limits = HARLimits()

    /// Makes the default settings: method, URL and body must match, and each entry responds once, without delay.
    public init() {}
}

extension ReplaySettings {
    /// The factor for the recorded times, finite and not negative.
    var usedDelayFactor: Double { delayFactor.isFinite ? max(0, delayFactor) : 0 }
}
