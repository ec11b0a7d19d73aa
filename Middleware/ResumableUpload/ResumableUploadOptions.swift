public import HTTPChainCore

/// The settings of ``ResumableUploadMiddleware``.
public struct ResumableUploadOptions: Sendable, Hashable {
    /// The requests that become resumable uploads.
    public enum Selection: Sendable, Hashable {
        /// Requests marked with `resumableUpload(identity:metadata:cancellation:)`.
        case marked
        /// Marked requests, and every POST, PUT and PATCH with replayable content of at least this size.
        ///
        /// Use this only if all such targets of the chain's server accept uploads. To other targets, the request that
        /// creates an upload looks like the original request without its content.
        case from(ByteCount)
    }

    /// The treatment of an upload whose call is cancelled.
    public enum Cancellation: String, Sendable, Hashable {
        /// The server keeps the upload, and the same call resumes it later.
        case keeps
        /// The server is asked to remove the upload (tus "Termination", draft §4.5).
        case terminates
    }

    /// The requests that become uploads; marked ones by default.
    package var selection: Selection
    /// The maximum size of a request, in bytes; unlimited by default, so that an upload is a single request.
    ///
    /// Smaller parts pass proxies that limit the size of requests, but each part takes a round trip. If the server
    /// responds with 413, parts are halved, down to 64 KiB.
    package var partSize: ByteCount?
    /// Whether the request that creates an upload includes the first part (tus "Creation With Upload"); `false` by
    /// default.
    ///
    /// The draft always creates an upload without content, so this has no effect.
    package var createsWithContent: Bool
    /// Whether the server is first asked for its limits with OPTIONS; `false` by default.
    package var asksForLimits: Bool
    /// The checksum of each part (tus "Checksum"); none by default.
    ///
    /// Each part is then read twice.
    package var checksum: UploadChecksum?
    /// The maximum total number of failures that are retried; 100 by default.
    package var maximumAttempts: Int
    /// The maximum number of consecutive failures without progress; 5 by default.
    package var maximumAttemptsWithoutProgress: Int
    /// The time from the start of the call within which an upload may continue after a failure; unlimited by default.
    package var totalTime: Duration?
    /// The waits after consecutive failures.
    package var backoff: Backoff
    /// The longest `Retry-After` that is accepted; 1 minute by default.
    package var retryAfterLimit: Duration
    /// The treatment of an upload whose call is cancelled; the server keeps it by default.
    package var cancellation: Cancellation
    /// The origins, in addition to the request's, on which uploads are allowed; none by default.
    ///
    /// The request's credentials aren't sent there.
    package var otherOrigins: Set<Origin>

    /// Makes settings.
    ///
    /// - Parameters:
    ///   - selection: The requests that become uploads; marked ones by default.
    ///   - partSize: The maximum size of a request, in bytes; unlimited by default, so that an upload is a single
    ///     request. Smaller parts pass proxies that limit the size of requests, but each part takes a round trip. If
    ///     the server responds with 413, parts are halved, down to 64 KiB.
    ///   - createsWithContent: Whether the request that creates an upload includes the first part (tus "Creation With
    ///     Upload"); `false` by default. The draft always creates an upload without content, so this has no effect, and
    ///     the chain reports a warning.
    ///   - asksForLimits: Whether the server is first asked for its limits with OPTIONS; `false` by default.
    ///   - checksum: The checksum of each part (tus "Checksum"), for which each part is read twice; none by default. It
    ///     has no effect with the draft, and the chain reports a warning.
    ///   - maximumAttempts: The maximum total number of failures that are retried; 100 by default.
    ///   - maximumAttemptsWithoutProgress: The maximum number of consecutive failures without progress; 5 by default.
    ///   - totalTime: The time from the start of the call within which an upload may continue after a failure;
    ///     unlimited by default.
    ///   - backoff: The waits after consecutive failures. By default, up to 0.5 seconds, doubling up to 30 seconds.
    ///   - retryAfterLimit: The longest `Retry-After` that is accepted; 1 minute by default.
    ///   - cancellation: The treatment of an upload whose call is cancelled; the server keeps it by default.
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
