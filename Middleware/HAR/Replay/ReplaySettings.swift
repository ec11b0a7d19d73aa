public import HTTPChainCore

/// The rule for when a replay uses the network, and how it changes the archive.
public enum ReplayMode: String, Sendable, Hashable, CaseIterable {
    /// Never uses the network.
    ///
    /// A request that isn't in the archive fails.
    case none
    /// Uses the network for all requests if there is no archive or it has expired; otherwise never.
    case once
    /// Uses the network for requests that aren't in the archive, and adds them.
    ///
    /// Expired entries are recorded again.
    case new
    /// Uses the network for every request.
    ///
    /// The entries of these requests are replaced, and others are kept.
    case all
    /// Uses the network for every request.
    ///
    /// The archive then contains only these requests.
    case update
}

/// The rule for choosing among several matching entries.
public enum ReplaySequence: Sendable, Hashable {
    /// Always uses the first entry.
    case first
    /// Uses each entry once, in order.
    ///
    /// When all have been used, a further request fails.
    case nextThenFail
    /// Uses each entry in order, and then the last one repeatedly.
    case nextThenLast
}

/// The settings of a replay.
public struct ReplaySettings: Sendable {
    /// The rules for matching a request with a recorded one.
    public var matching = ReplayMatching.standard
    /// The rule for choosing among several matching entries.
    ///
    /// By default, each is used once, in order.
    public var sequence = ReplaySequence.nextThenFail
    /// Whether requests must be sent in the order of the archive, using each entry once; `false` by default.
    public var keepsOrder = false
    /// The factor for the recorded times until the head and between the chunks of the body; 0, the default, for no
    /// delay, and 1 for the recorded delays.
    ///
    /// The clock is that of the request's environment.
    public var delayFactor = 0.0
    /// The maximum age of an entry; unlimited by default.
    ///
    /// In ``ReplayMode/none``, older entries aren't replayed, and the error gives this reason.
    public var expiry: Duration?
    /// Whether `Date` and `Expires` of a response are moved to the present, so that a cache considers it as fresh as
    /// when it was recorded; `true` by default.
    public var shiftsDates = true
    /// The maximum size of request content that can be compared; 16 MiB by default.
    public var bodyLimit: ByteCount = .mebibytes(16)
    /// The size limits for reading an archive.
    public var limits = HARLimits()

    /// Makes the default settings: method, URL and body must match, and each entry is used once, without delay.
    public init() {}
}

extension ReplaySettings {
    /// The factor for the recorded times, made finite and not negative.
    var usedDelayFactor: Double { delayFactor.isFinite ? max(0, delayFactor) : 0 }
}
