public import HTTPChainCore
import HTTPTypes

/// Sends uploads so that they can be continued: after a lost connection, and after a killed process.
///
/// ```swift
/// let store = FileUploadStore(directory: directory)
/// let chain = try Chain(transport: transport) {
///     ResumableUploadMiddleware(.tus, store: store, partition: .shared)
///     RetryMiddleware()
///     BearerAuthMiddleware(token: token, for: "https://uploads.example.com")
/// }
/// let film = Request.post("https://uploads.example.com/files", body: .file(file))
/// let response = try await chain.send(film.resumable())
/// ```
///
/// The stage asks the server to create an upload, learns its URL, and sends the content there, in parts or in one go.
/// After a failure it asks how much the server has, and goes on from there. The response is that of the last request;
/// with tus its `Location` is the URL of the upload.
///
/// **What is an upload.** A POST, PUT or PATCH that is marked with ``HTTPChainCore/Request/resumable(_:)``, or all with
/// content of some size (``ResumableUploadOptions/selection``). The content must be bytes, a file, or a factory with a
/// length. With tus it must have no coding (`Content-Encoding`), which tus cannot tell the server. A marked request that
/// cannot be an upload is an ``UploadError``; one that is not marked passes untouched.
///
/// **Going on later.** The store keeps the URL of the upload under a digest of method, target, content type, length,
/// metadata, user (`partition`) and content: the SHA-256 of bytes; path, size and time of modification of a file; a name
/// that the caller gives (``ResumableUpload/identity``). The same call, in this process or in another, goes on with it. Of
/// two such calls at the same time, the second makes an upload of its own.
///
/// **Failures.** Connections that are lost, 408, 423, 425, 429, 5xx, offsets that do not fit: the upload goes on, within
/// the limits of ``ResumableUploadOptions``. An upload that the server has lost is begun anew, once.
///
/// **Place.** ``HTTPChainCore/Phase/upload``: inside what completes and encodes the content, and what sees one answer to
/// the call; outside retry and authentication, which each part passes on its own.
///
/// **Options.** ``ResumableUploadOption`` (in short ``HTTPChainCore/Request/resumable(_:)``);
/// ``HTTPChainCore/Response/upload`` tells how it went.
///
/// **Errors.** ``UploadError``; ``UploadStoreError`` of the store in files.
public struct ResumableUploadMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    private let name: UploadProtocol
    private let store: any UploadStore
    private let partition: UserPartition
    private let options: ResumableUploadOptions
    /// The uploads of the store that a call has.
    private let inFlight = Locked<Set<UploadKey>>([])

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - name: The protocol that the server speaks.
    ///   - store: What keeps uploads that are not complete; in memory by default.
    ///   - partition: Whose an upload is, so that no user goes on with that of another; by default uploads of requests
    ///     that bring credentials themselves are not kept, and all others are taken for those of one user.
    ///   - options: How uploads are sent.
    public init(
        _ name: UploadProtocol,
        store: any UploadStore = MemoryUploadStore(),
        partition: UserPartition = .none,
        options: ResumableUploadOptions = ResumableUploadOptions()
    ) {
        self.name = name
        self.store = store
        self.partition = partition
        self.options = options
    }

    /// Outside what each part passes, inside what sees one answer.
    public var phase: Phase { .upload }

    /// The protocol, and how uploads are sent.
    public var summary: StageSummary {
        let selected =
            switch options.selection {
            case .marked: "requests that are marked"
            case .from(let size): "requests that are marked, and content from \(size)"
            }
        return StageSummary(
            "ResumableUploadMiddleware",
            purpose: "sends uploads so that they can be continued",
            settings: [
                "protocol": "\(name)", "uploads": selected, "parts": options.partSize.map { "\($0)" } ?? "in one go",
                "attempts": "\(options.maximumAttempts), \(options.maximumAttemptsWithoutProgress) without progress",
                "checksum": options.checksum?.rawValue ?? "none", "when cancelled": options.cancellation.rawValue,
                "store": StageSummary.name(of: type(of: store)),
            ]
        )
    }

    /// A second stage of this kind inside, and users that cannot be told apart.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        var problems: [ChainProblem] = []
        let inner = place.inside + place.nested
        if inner.contains(where: { $0 is ResumableUploadMiddleware }) {
            problems.append(
                ChainProblem(
                    stage: summary.name,
                    problem:
                        "there are two \(summary.name) in the chain, and the inner one would make an upload of each "
                        + "part of the outer one",
                    fix: "remove one"
                )
            )
        }
        if let auth = inner.first(where: { $0.phase == .authenticate }), !partition.seesUsers, !partition.isShared {
            problems.append(
                ChainProblem(
                    stage: summary.name,
                    problem:
                        "\(summary.name) cannot know for whom \(auth.summary.name) signs, and one user could go on "
                        + "with the upload of another",
                    fix:
                        "say who it is (partition: .by { _ in account }), or that there is one user (partition: .shared)"
                )
            )
        }
        return problems
    }

    /// Passes a request on as it is, or as an upload in as many requests as it takes.
    ///
    /// - Throws: ``UploadError``; what the store throws; what the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard options.selection != .marked || request.options.contains(ResumableUploadOption.self) else {
            return try await next(request)
        }
        return try await upload(request, next)
    }

    /// Apart, so that a call that is no upload does not pay for the room that this takes.
    private func upload(_ request: consuming Request, _ next: Next) async throws -> Response {
        let marked = request.options[ResumableUploadOption.self]
        guard let content = try await content(of: request, isMarked: marked != nil) else {
            return try await next(request)
        }
        let upload = marked ?? ResumableUpload()
        let kept = request
        let key = try await UploadKey(kept, content, over: name, described: upload, partition: partition)
        let isAlone = key.map { key in inFlight.withLock { $0.insert(key).inserted } } ?? false
        defer { if isAlone, let key { inFlight.withLock { _ = $0.remove(key) } } }
        let wire: any UploadWire =
            switch name {
            case .tus: Tus(metadata: UploadMetadata(values: upload.metadata))
            case .draft: Draft()
            }
        let run = try await UploadRun(
            kept,
            next: next,
            wire: wire,
            content: content,
            options: options,
            saved: isAlone ? key.map { SavedUpload($0, in: store, for: kept) } : nil
        )
        return try await run.finish(cancellation: upload.cancellation ?? options.cancellation)
    }

    /// The content to upload; nil for a request that is none and was not said to be one.
    private func content(of request: borrowing Request, isMarked: Bool) async throws -> UploadContent? {
        let method = request.head.method
        let body = request.body
        let coding = unnamedCoding(of: request)
        if isMarked {
            guard [.post, .put, .patch].contains(method) else { throw UploadError(.method(method)) }
            if let coding { throw UploadError(.contentEncoding(coding)) }
            guard request.origin != nil else { throw UploadError(.noOrigin) }
            return try await UploadContent(body)
        }
        guard case .from(let size) = options.selection, [.post, .put, .patch].contains(method), coding == nil,
            body.isReplayable, body.value == nil, request.origin != nil, let length = try await body.measuredLength(),
            length >= size.bytes
        else { return nil }
        return try await UploadContent(body)
    }

    /// The coding of the content that the protocol has no field for: tus describes an upload by its metadata alone.
    private func unnamedCoding(of request: borrowing Request) -> String? {
        guard name == .tus, let coding = request.head.headerFields[.contentEncoding] else { return nil }
        return coding.lowercased() == "identity" ? nil : coding
    }
}

extension Phase {
    /// Uploads that can be continued.
    public static let upload = Phase(
        "upload",
        between: .coalesce,
        and: .retry,
        because: "each part of an upload is retried, authenticated and limited on its own"
    )
}
