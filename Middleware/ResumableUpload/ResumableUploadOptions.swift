public import HTTPChainCore

/// The settings of ``ResumableUploadMiddleware``.
public struct ResumableUploadOptions: Sendable, Hashable {
    /// The requests that are made uploads which can be continued.
    public enum Selection: Sendable, Hashable {
        /// Those that are marked with ``HTTPChainCore/Request/resumable(_:)``.
        case marked
        /// These, and every POST, PUT and PATCH with replayable content of at least so many bytes.
        ///
        /// For a chain whose server takes uploads at every such target: to any other, the request that creates an upload
        /// is one without its content.
        case from(ByteCount)
    }

    /// The fate of an upload whose call is cancelled.
    public enum Cancellation: String, Sendable, Hashable {
        /// It stays at the server, and the same call goes on with it later.
        case keeps
        /// The server is told to remove it (tus "Termination", draft §4.5).
        case terminates
    }

    /// The requests that are made uploads; marked ones by default.
    public var selection: Selection
    /// The largest number of bytes of one request; no limit by default, so that an upload is sent in one go.
    ///
    /// A part gets through where a proxy limits the size of requests, and costs a round trip. Where the server answers
    /// 413, parts are halved, down to 64 KiB.
    public var partSize: ByteCount?
    /// Whether the request that creates an upload has the first part in it (tus "Creation With Upload"); `false` by
    /// default.
    ///
    /// That of the draft does not, whatever this says.
    public var createsWithContent: Bool
    /// Whether the server is asked for its limits first, with OPTIONS; `false` by default.
    public var asksForLimits: Bool
    /// The checksum that each part has (tus "Checksum"); none by default.
    ///
    /// Each part is read twice for it.
    public var checksum: UploadChecksum?
    /// The number of failures after which an upload continues, all in all; 100 by default.
    public var maximumAttempts: Int
    /// The number of failures in a row after which it continues while the server gets no further; 5 by default.
    public var maximumAttemptsWithoutProgress: Int
    /// The time after the beginning of the call within which an upload is gone on with; no limit by default.
    public var totalTime: Duration?
    /// The longest wait after the first failure in a row, doubled with each, and shortened by chance; 0.5 seconds by
    /// default.
    public var firstWait: Duration
    /// The longest wait after a failure; 30 seconds by default.
    public var longestWait: Duration
    /// The longest wait that the server may ask for with `Retry-After`; a minute by default.
    public var retryAfterLimit: Duration
    /// The fate of an upload whose call is cancelled; it stays by default.
    public var cancellation: Cancellation
    /// The origins beside that of the request that uploads may be on; none by default.
    ///
    /// Credentials of the request do not go there.
    public var otherOrigins: Set<Origin>

    /// Makes settings; what is not given has its default.
    ///
    /// - Parameters:
    ///   - selection: Which requests are made uploads.
    ///   - partSize: The largest number of bytes of one request.
    ///   - createsWithContent: Whether the request that creates an upload has the first part in it.
    ///   - asksForLimits: Whether the server is asked for its limits first.
    ///   - checksum: The checksum that each part has.
    ///   - cancellation: What becomes of an upload when its call is cancelled.
    ///   - otherOrigins: The origins beside that of the request that uploads may be on.
    public init(
        selection: Selection = .marked,
        partSize: ByteCount? = nil,
        createsWithContent: Bool = false,
        asksForLimits: Bool = false,
        checksum: UploadChecksum? = nil,
        cancellation: Cancellation = .keeps,
        otherOrigins: Set<Origin> = []
    ) {
        self.selection = selection
        self.partSize = partSize
        self.createsWithContent = createsWithContent
        self.asksForLimits = asksForLimits
        self.checksum = checksum
        maximumAttempts = 100
        maximumAttemptsWithoutProgress = 5
        totalTime = nil
        firstWait = .milliseconds(500)
        longestWait = .seconds(30)
        retryAfterLimit = .seconds(60)
        self.cancellation = cancellation
        self.otherOrigins = otherOrigins
    }
}
