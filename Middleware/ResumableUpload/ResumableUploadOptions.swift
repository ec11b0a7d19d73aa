public import HTTPChainCore

/// The settings of ``ResumableUploadMiddleware``.
public struct ResumableUploadOptions: Sendable, Hashable {
    /// The requests that become resumable uploads.
    public enum Selection: Sendable, Hashable {
        /// Requests marked with `resumableUpload(identity:metadata:cancellation:)`.
        case marked
        /// Marked requests, and every POST, PUT and PATCH with replayable content of at least this size.
        ///
        /// Use this only for a chain whose server accepts uploads at every such target. On other targets, the request
        /// that creates an upload looks like the original without its content.
        case from(ByteCount)
    }

    /// The handling of an upload whose call is cancelled.
    public enum Cancellation: String, Sendable, Hashable {
        /// The server keeps it, and the same call resumes it later.
        case keeps
        /// The server is asked to remove it (tus "Termination", draft §4.5).
        case terminates
    }

    /// The requests that become uploads; marked ones by default.
    package var selection: Selection
    /// The maximum size of a request, in bytes; unlimited by default, so that an upload is a single request.
    ///
    /// Proxies that limit the size of requests let smaller parts pass, but each part takes a round trip. If the server
    /// responds with 413, parts are halved, down to 64 KiB.
    package var partSize: ByteCount?
    /// Whether the request that creates an upload includes the first part (tus "Creation With Upload"); `false` by
    /// default.
    ///
    /// It has no effect with the draft, which always creates an upload without content.
    package var createsWithContent: Bool
    /// Whether the server is first asked for its limits, with OPTIONS; `false` by default.
    package var asksForLimits: Bool
    /// The checksum of each part (tus "Checksum"); none by default.
    ///
    /// It requires reading each part twice.
    package var checksum: UploadChecksum?
    /// The maximum total number of failures after which an upload continues; 100 by default.
    package var maximumAttempts: Int
    /// The maximum number of consecutive failures without progress; 5 by default.
    package var maximumAttemptsWithoutProgress: Int
    /// The time since the beginning of the call within which an upload is continued; unlimited by default.
    package var totalTime: Duration?
    /// The waits after consecutive failures.
    package var backoff: Backoff
    /// The longest `Retry-After` that is accepted; 1 minute by default.
    package var retryAfterLimit: Duration
    /// The handling of an upload whose call is cancelled; it's kept by default.
    package var cancellation: Cancellation
    /// The origins, in addition to the request's, on which uploads are allowed; none by default.
    ///
    /// The request's credentials aren't sent there.
    package var otherOrigins: Set<Origin>

    /// Makes settings, with defaults for everything else.
    ///
    /// - Parameters:
    ///   - selection: The requests that become uploads; marked ones by default.
    ///   - partSize: The maximum size of a request, in bytes; unlimited by default, so that an upload is a single
    ///     request. Proxies that limit the size of requests let smaller parts pass, but each part takes a round trip.
    ///     If the server responds with 413, parts are halved, down to 64 KiB.
    ///   - createsWithContent: Whether the request that creates an upload includes the first part (tus "Creation With
    ///     Upload"); `false` by default. It has no effect with the draft, which always creates an upload without
    ///     content; the chain then has a warning.
    ///   - asksForLimits: Whether the server is first asked for its limits, with OPTIONS; `false` by default.
    ///   - checksum: The checksum of each part (tus "Checksum"), which requires reading each part twice; none by
    ///     default. It has no effect with the draft; the chain then has a warning.
    ///   - maximumAttempts: The maximum total number of failures after which an upload continues; 100 by default.
    ///   - maximumAttemptsWithoutProgress: The maximum number of consecutive failures without progress; 5 by default.
    ///   - totalTime: The time since the beginning of the call within which an upload is continued; unlimited by
    ///     default.
    ///   - backoff: The waits after consecutive failures; by default up to 0.5 seconds, doubling to 30 seconds.
    ///   - retryAfterLimit: The longest `Retry-After` that is accepted; 1 minute by default.
    ///   - cancellation: The handling of an upload whose call is cancelled; it's kept by default.
    ///   - otherOrigins: The origins, in addition to the request's, on which uploads are allowed; none by default. The
    ///     request's credentials aren't sent there.
    public init(
        selection: Selection = .marked,
        partSize: ByteCount? = nil,
        createsWithContent: Bool = false,
        asksForLimits: Bool = false,
        checksum: UploadChecksum? = nil,
        maximumAttempts: Int = 100,
        maximumAttemptsWithoutProgress: Int = 5,
        totalTime: Duration? = nil,
        backoff: Backoff = Backoff(cap: .seconds(30)),
        retryAfterLimit: Duration = .seconds(60),
        cancellation: Cancellation = .keeps,
        otherOrigins: Set<Origin> = []
    ) {
        self.selection = selection
        self.partSize = partSize
        self.createsWithContent = createsWithContent
        self.asksForLimits = asksForLimits
        self.checksum = checksum
        self.maximumAttempts = maximumAttempts
        self.maximumAttemptsWithoutProgress = maximumAttemptsWithoutProgress
        self.totalTime = totalTime
        self.backoff = backoff
        self.retryAfterLimit = retryAfterLimit
        self.cancellation = cancellation
        self.otherOrigins = otherOrigins
    }
}
