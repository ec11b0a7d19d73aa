public import HTTPChainCore

/// A rule for when a replay asks the network, and what becomes of the archive.
public enum ReplayMode: String, Sendable, Hashable, CaseIterable {
    /// Never: a request that is not in the archive fails.
    case none
    /// For everything while there is no archive, or while it has expired; afterwards never.
    case once
    /// For requests that are not in the archive, which are added to it; expired entries are recorded again.
    case new
    /// For every request: entries that are asked for are replaced, the others stay.
    case all
    /// For every request: the archive then holds what was asked for, and nothing else.
    case update
}

/// The time that a replayed answer takes, on the clock of the request's environment.
public enum ReplayTiming: Sendable, Hashable {
    /// No time.
    case none
    /// As long as it took: until the head, and between the chunks of the body.
    case recorded
    /// As long as it took, multiplied.
    case scaled(Double)

    var factor: Double {
        switch self {
        case .none: 0
        case .recorded: 1
        case .scaled(let factor): factor.isFinite ? max(0, factor) : 0
        }
    }
}

/// The choice among several matching entries.
public enum ReplaySequence: Sendable, Hashable {
    /// The first one, always.
    case first
    /// Each in its turn, once; when all have answered, a further request fails.
    case nextThenFail
    /// Each in its turn; the last one again and again.
    case nextThenLast
}

/// In which order requests must come.
public enum ReplayOrder: Sendable, Hashable {
    /// In any.
    case any
    /// In that of the archive, each entry once.
    case recorded
}

/// The settings of a replay.
public struct ReplaySettings: Sendable {
    /// The rules by which a request is taken for a recorded one.
    public var matching = ReplayMatching.standard
    /// The choice among several matching entries; each in its turn, once, by default.
    public var sequence = ReplaySequence.nextThenFail
    /// In which order requests must come; any by default.
    public var order = ReplayOrder.any
    /// The time that answers take; no time by default.
    public var timing = ReplayTiming.none
    /// The largest age of an entry; any age by default.
    ///
    /// In ``ReplayMode/none`` an older one is not replayed, and the error
    /// says so.
    public var expiry: Duration?
    /// Whether `Date` and `Expires` of a response are moved to the present, so that a cache takes it to be as fresh as it
    /// was; `true` by default.
    public var shiftsDates = true
    /// The size of the part of a request's content that is compared; 16 MiB by default.
    public var bodyLimit: ByteCount = .mebibytes(16)
    /// The limits of what is read of an archive.
    public var limits = HARLimits.standard

    /// Makes the settings that hold unless others are set.
    public init() {}

    /// Method, URL and body must match; each entry answers once, at once.
    public static let standard = ReplaySettings()
}
