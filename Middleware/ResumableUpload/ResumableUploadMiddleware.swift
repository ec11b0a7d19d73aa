public import HTTPChainCore
import HTTPTypes

/// Makes uploads resumable after a lost connection or a killed process.
///
/// ```swift
/// let store = FileUploadStore(directory: directory)
/// let chain = try Chain(transport: transport) {
///     ResumableUploadMiddleware(.tus, store: store, partition: .shared)
///     RetryMiddleware()
///     BearerAuthMiddleware(token: token, for: "https://uploads.example.com")
/// }
/// let film = Request.post("https://uploads.example.com/files", body: .file(file))
/// let response = try await chain.send(film.resumableUpload())
/// ```
///
/// The stage asks the server to create an upload, gets the upload's URL, and sends the content there, in parts or
/// whole. After a failure, it asks how much the server has received, and continues from there. The response is that of
/// the last request. With tus, its `Location` is the URL of the upload.
///
/// **Uploads** are POST, PUT and PATCH requests: those marked with
/// ``HTTPChainCore/Request/resumableUpload(identity:metadata:cancellation:)``, or all with content of a minimum size
/// (``ResumableUploadOptions/Selection``). The content must be bytes, a file, or a factory with a length. With tus it
/// mustn't have a coding (`Content-Encoding`), which tus can't express. A marked request that can't be an upload throws
/// an ``UploadError``; an unmarked one is passed on unchanged.
///
/// **Resuming.** The store keeps the URL of the upload under a digest of method, target, content type, length,
/// metadata, user (`partition`) and content. The content is represented by the SHA-256 of bytes, by the path, size and
/// modification time of a file, or by an identity set by the caller. The same call, in this process or another, resumes
/// the upload. If two such calls run concurrently, the second one makes a separate upload.
///
/// **Users.** `partition` is evaluated before each request and before each change to the store. If another user has
/// logged in in the meantime, the call ends with ``UploadError/Problem/userChanged``, and nothing more is sent or
/// stored.
///
/// **Failures.** After lost connections, 408, 423, 425, 429, 500, 502, 503, 504 and offset mismatches, the upload
/// continues within the limits of ``ResumableUploadOptions``. An upload that the server has lost is restarted once.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/upload``: inside stages that complete and encode the content or need a
/// single response to the call, and outside retry and authentication, which apply to each part separately.
///
/// **Options.** `resumableUpload(identity:metadata:cancellation:)`. The result is in ``HTTPChainCore/Response/upload``.
///
/// **Errors.** ``UploadError``.
public struct ResumableUploadMiddleware: BuiltInStage {
    private let name: UploadProtocol
    private let store: any UploadStore
    private let partition: UserPartition
    private let options: ResumableUploadOptions
    /// The options that the stage reads.
    ///
    /// Metadata is one of them only with tus.
    package let stageOptions: [any RequestOption.Type]
    /// The keys of stored uploads that are in use by a call.
    private let inFlight = Locked<Set<UploadKey>>([])

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - name: The server's protocol.
    ///   - store: The store for incomplete uploads; in memory by default.
    ///   - partition: The rule that determines the user of an upload, so that users can't resume each other's uploads.
    ///     By default, uploads of requests with their own credentials aren't stored, and all others are treated as
    ///     those of one user.
    ///   - options: The settings of uploads.
    public init(
        _ name: UploadProtocol,
        store: (any UploadStore)? = nil,
        partition: UserPartition = .none,
        options: ResumableUploadOptions = ResumableUploadOptions()
    ) {
        self.name = name
        self.store = store ?? MemoryUploadStore()
        self.partition = partition
        self.options = options
        stageOptions = [ResumableUploadOption.self] + (name == .tus ? [UploadMetadataOption.self] : [])
    }

    /// ``/HTTPChainCore/Phase/upload``: outside stages that apply to each part, and inside those that need a single
    /// response.
    package var stagePhase: Phase { .upload }

    /// The protocol and settings of the stage.
    package var stageSummary: StageSummary {
        let selected =
            switch options.selection {
            case .marked: "requests that are marked"
            case .from(let size): "requests that are marked, and content from \(size)"
            }
        return StageSummary(
            "ResumableUploadMiddleware",
            purpose: "sends uploads so that they can be continued",
            settings: [
                "protocol": name.description, "uploads": selected,
                "parts": options.partSize.map { "\($0)" } ?? "in one go",
                "attempts": "\(options.maximumAttempts), \(options.maximumAttemptsWithoutProgress) without progress",
                "checksum": (name == .tus ? options.checksum?.rawValue : nil) ?? "none",
                "when cancelled": options.cancellation.rawValue,
                "store": StageSummary.name(of: type(of: store)),
            ]
        )
    }

    /// Reports a second upload stage inside this one, users that can't be distinguished, and settings that the draft
    /// doesn't support.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
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
        problems += partition.problems(at: place, of: summary.name, "whose uploads it resumes")
        for setting in settingsWithoutEffect {
            problems.append(
                ChainProblem(
                    stage: summary.name,
                    problem:
                        "\(summary.name)(.draft) has the setting \(setting), which only tus has, so it has no effect",
                    fix: "remove it, or use .tus if the server does",
                    severity: .warning
                )
            )
        }
        return problems
    }

    private var settingsWithoutEffect: [String] {
        guard name == .draft else { return [] }
        var settings: [String] = []
        if options.checksum != nil { settings.append("checksum:") }
        if options.createsWithContent { settings.append("createsWithContent:") }
        return settings
    }

    /// Passes a request on unchanged, or as an upload in several requests.
    ///
    /// - Throws: ``UploadError``; errors from the store; errors from the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard options.selection != .marked || request.options.contains(ResumableUploadOption.self) else {
            return try await next(request)
        }
        return try await upload(request, next)
    }

    /// This is a separate function, so that calls without uploads don't pay for its stack frame.
    private func upload(_ request: consuming Request, _ next: Next) async throws -> Response {
        let marked = request.options[ResumableUploadOption.self]
        guard let content = try await content(of: request, isMarked: marked != nil) else {
            return try await next(request)
        }
        let upload = marked ?? ResumableUpload()
        let kept = request
        let owner = try await UploadOwner(of: kept, in: partition)
        let key = try await UploadKey(kept, content, over: name, described: upload, owner: owner)
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
            owner: owner,
            saved: isAlone ? key.map { SavedUpload(store: store, key: $0, request: kept) } : nil
        )
        return try await run.finish(cancellation: upload.cancellation ?? options.cancellation)
    }

    /// Returns the content to upload, or `nil` for an unmarked request that isn't an upload.
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

    /// Returns the content coding if the protocol has no field for it.
    ///
    /// tus describes an upload only by its metadata.
    private func unnamedCoding(of request: borrowing Request) -> String? {
        guard name == .tus, let coding = request.head.headerFields[.contentEncoding] else { return nil }
        return coding.lowercased() == "identity" ? nil : coding
    }
}
