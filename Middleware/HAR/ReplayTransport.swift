public import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Responds to requests from an archive (HAR 1.2) instead of a network.
///
/// ```swift
/// let replay = try await ReplayTransport(file: file, mode: .once, over: URLSessionTransport())
/// let chain = try Chain.standard(base: "https://api.example.com", over: replay)
/// …
/// try await replay.finish()
/// ```
///
/// A request is matched with a recorded one by ``ReplayMatching``: by default by method, URL and the meaning of the
/// body. By default, each entry is used once, in order (``ReplaySettings/sequence``). A request without a matching
/// entry fails with ``UnmatchedReplayError``, which lists the nearest entries and their differences. ``finish()``
/// throws if entries weren't used.
///
/// Archives of other programs can be replayed too. Archives contain decoded content, so `Content-Encoding` and the
/// original `Content-Length` aren't replayed. A conditional request (`If-None-Match`, `If-Modified-Since`) gets a 304
/// if it already has the recorded content.
///
/// ``ReplayMode`` determines when the network is used. Its responses are recorded as by ``RecordingMiddleware``, with
/// secrets redacted.
public final class ReplayTransport: Transport {
    private struct State: Sendable {
        var book: ReplayBook
        var redaction: Redaction
        /// Whether the request contents stored in files have been read.
        var hasReadFiles = false

        init(_ archive: HARArchive, _ settings: ReplaySettings) {
            redaction = .standard
            book = ReplayBook(archive.entries, matching: settings.matching, redaction: redaction)
        }
    }

    /// The capabilities reported to stages.
    public let capabilities: TransportCapabilities
    /// The options that the network transport reads.
    ///
    /// They are reported even if it isn't used, so that a recorded request can be replayed.
    public let optionsRead: [any RequestOption.Type]
    /// The rule for when the network is used.
    package let mode: ReplayMode
    private let settings: ReplaySettings
    private let file: URL?
    private let network: Next?
    /// Records the network's responses; nil if the network isn't used.
    private let recorder: HARRecorder?
    /// Whether every request is sent to the network.
    private let isRecordingAll: Bool
    private let old: HARArchive
    private let state: Locked<State>

    /// Makes a transport that replays an archive, without a network.
    ///
    /// - Parameters:
    ///   - archive: The archive; contents in separate files are looked up in `directory`.
    ///   - settings: The replay settings.
    ///   - directory: The folder of the archive's file; none by default.
    public init(_ archive: HARArchive, settings: ReplaySettings = ReplaySettings(), directory: URL? = nil) {
        mode = .none
        self.settings = settings
        file = directory?.appendingPathComponent("archive.har")
        network = nil
        recorder = nil
        isRecordingAll = false
        old = archive
        capabilities = Self.capabilities(over: nil, settings)
        optionsRead = []
        state = Locked(State(archive, settings))
    }

    /// Makes a transport that replays or records a file.
    ///
    /// - Parameters:
    ///   - file: The archive.
    ///   - mode: The condition for using the network; ``ReplayMode/none`` by default.
    ///   - transport: The network; required for all modes except ``ReplayMode/none``, and ``ReplayMode/once`` if there
    ///     is an archive.
    ///   - settings: The replay settings.
    ///   - bodies: The size limit and place of recorded bodies.
    ///   - now: The current time, for the expiry of an archive.
    /// - Throws: ``HARError`` if the file can't be read, or recording is required and there is no transport.
    public init(
        file: URL,
        mode: ReplayMode = .none,
        over transport: (any Transport)? = nil,
        settings: ReplaySettings = ReplaySettings(),
        bodies: HARBodyStorage = .inline(),
        now: Date = Date()
    ) async throws(HARError) {
        let archive = try await Self.read(file, mode, settings)
        let isExpired = archive.map { $0.isExpired(settings.expiry, at: now) } ?? false
        isRecordingAll = mode == .all || mode == .update || (mode == .once && (archive == nil || isExpired))
        let records = isRecordingAll || mode == .new
        if records, transport == nil { throw HARError(.noTransport(mode: ".\(mode)"), path: file.path) }
        self.mode = mode
        self.settings = settings
        self.file = file
        old = archive ?? HARArchive()
        network = records ? transport.map { Next(to: $0) } : nil
        if mode == .new || (mode == .once && archive == nil) {
            // Appended immediately, so that recorded entries survive a crash.
            recorder = records ? HARRecorder(file: file, bodies: bodies, limits: settings.limits) : nil
        } else {
            recorder = records ? HARRecorder(nil, bodies: .inline(upTo: bodies.limit)) : nil
        }
        capabilities = Self.capabilities(over: records ? transport : nil, settings)
        optionsRead = transport?.optionsRead ?? []
        state = Locked(State(isRecordingAll ? HARArchive() : old, settings))
    }

    private static func read(
        _ file: URL,
        _ mode: ReplayMode,
        _ settings: ReplaySettings
    ) async throws(HARError) -> HARArchive? {
        if mode != .none {
            let exists = try await FileExecutor.shared.runToEnd { () throws(HARError) in
                try Files<HARError>().status(of: file.path) != nil
            }
            if !exists { return nil }
        }
        return try await HARArchive.read(from: file, limits: settings.limits, salvaging: mode != .none)
    }

    private static func capabilities(
        over network: (any Transport)?,
        _ settings: ReplaySettings
    ) -> TransportCapabilities {
        let own: TransportCapabilities = [.streamsUploads, .backpressure, .keepsRepeatedFields]
        if let network { return network.capabilities.subtracting(settings.usedDelayFactor == 0 ? [] : .keepsDeadlines) }
        // A delay from the recording's schedule ignores deadlines.
        return settings.usedDelayFactor == 0 ? own.union(.keepsDeadlines) : own
    }

    /// Responds to a request from the archive, or from the network if the mode allows.
    ///
    /// - Throws: ``UnmatchedReplayError``; the recorded failure; ``HARError`` for an entry that can't be replayed;
    ///   `InvalidRequestError` for an invalid request; errors from the network.
    public func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        if isRecordingAll { return try await record(request) }
        var request = request
        let head = try (copy request).forWire().head
        let content = try await take(&request)
        try await readRequestFiles()
        let verdict = answer(request, head, content)
        switch verdict {
        case .answer(let page, let condition):
            if content?.isTruncated == true { for try await _ in request.body {} }
            var response = try await ReplayedResponse(
                page: page,
                condition: condition,
                settings: settings,
                directory: file?.deletingLastPathComponent(),
                transport: name,
                time: request.environment.time,
                request: head,
                redaction: request.redaction
            ).response()
            response.request = head
            return response
        case .unmatched(let nearest):
            if network != nil { return try await record(request) }
            let exchange = ExchangeSnapshot(head, redaction: request.redaction)
            throw UnmatchedReplayError(
                method: head.method,
                url: exchange.url,
                nearest: nearest,
                entryCount: state.withLock { $0.book.pages.count },
                failedStage: name,
                failedExchange: exchange
            )
        }
    }

    /// Returns the beginning of the content, and keeps the content available for the network.
    private func take(_ request: inout Request) async throws -> CapturedBody? {
        if request.body.isEmpty { return nil }
        let (preview, body) = try await request.body.peek(upTo: settings.bodyLimit)
        request.body = body
        if preview.bytes.isEmpty { return nil }
        let count = body.length ?? Int64(preview.bytes.count)
        return CapturedBody(chunks: [preview.bytes], count: count, isTruncated: preview.isTruncated)
    }

    /// Reads the recorded request contents stored in files, before the first comparison.
    ///
    /// A file that is outside the folder, can't be read or exceeds the archive's limit is ignored.
    private func readRequestFiles() async throws {
        guard settings.matching.body != .ignored, let directory = file?.deletingLastPathComponent() else { return }
        let names = state.withLock { $0.hasReadFiles ? [:] : $0.book.requestFiles }
        let limit = Int(clamping: settings.bodyLimit.bytes)
        let room = Int(clamping: settings.limits.size.bytes)
        let contents: [Int: CapturedBody] =
            try await names.isEmpty
            ? [:] : FileExecutor.shared.run { Self.contents(of: names, in: directory, limit: limit, room: room) }
        state.withLock { state in
            guard !state.hasReadFiles else { return }
            state.hasReadFiles = true
            state.book.fill(contents, matching: settings.matching, redaction: state.redaction)
        }
    }

    private static func contents(
        of files: [Int: String],
        in directory: URL,
        limit: Int,
        room: Int
    ) -> [Int: CapturedBody] {
        var room = room
        var contents: [Int: CapturedBody] = [:]
        for (number, name) in files.sorted(by: { $0.key < $1.key }) where room > 0 {
            guard let file = HARFileName.file(named: name, in: directory) else { continue }
            let content = CapturedBody(file: .file(file), limit: min(limit, room))
            // Without chunks, the file couldn't be read.
            guard !content.chunks.isEmpty else { continue }
            room -= content.bytes.count
            contents[number] = content
        }
        return contents
    }

    private func answer(_ request: Request, _ head: HTTPRequest, _ content: CapturedBody?) -> ReplayBook.Verdict {
        let redaction = request.redaction.adding(markedIn: head.headerFields)
        let stored = content.map {
            StoredContent(
                $0,
                type: head.headerFields[.contentType],
                codings: head.headerFields[.contentEncoding],
                redaction: redaction,
                limit: Int(clamping: settings.bodyLimit.bytes)
            )
        }
        let sent = ComparedRequest(
            HARRequest(head, url: Request(head: head).url, content: stored, redaction: redaction),
            settings.matching.body
        )
        let now = request.environment.time.date
        // Secrets of one call apply only to that call. Secret names don't affect earlier recordings.
        let rules = request.environment.redaction
        return state.withLock { state in
            if state.redaction != rules {
                state.book = state.book.redacted(by: rules, matching: settings.matching)
                state.redaction = rules
            }
            return state.book.answer(sent, fields: head.headerFields, now: now, settings)
        }
    }

    private func record(_ request: consuming Request) async throws -> Response {
        guard let network, let recorder else { throw HARError(.noTransport(mode: ".\(mode)"), path: file?.path) }
        return try await RecordingMiddleware.record(request, at: .wire, to: recorder, network)
    }

    /// Throws ``UnusedEntriesError`` if entries weren't used.
    package func assertAllUsed() throws {
        if isRecordingAll || mode == .new { return }
        let unused = state.withLock { $0.book.unused }
        if unused.isEmpty { return }
        throw UnusedEntriesError(
            unused: unused.map { "\($0.number). \($0.request.har.method) \($0.request.har.url)" },
            failedStage: name
        )
    }

    /// Ends the replay: writes the recorded entries, and throws if entries weren't used.
    ///
    /// Files are replaced only at this point (with ``ReplayMode/all`` or ``ReplayMode/update``, or if the archive has
    /// expired). Entries added to a file (with ``ReplayMode/new`` or ``ReplayMode/once``) are written immediately.
    ///
    /// - Throws: ``UnusedEntriesError`` in a mode that only replays; ``HARError`` if the file can't be written.
    public func finish() async throws {
        try assertAllUsed()
        guard let recorder, let file else { return }
        try await recorder.flush()
        if mode == .new {
            try await dropExpired(file)
        } else if mode != .once || !old.entries.isEmpty {
            let recorded = try await recorder.archive()
            let archive = mode == .all ? old.replacing(with: recorded.entries, settings) : recorded
            try await archive.write(to: file)
        }
    }

    /// Removes the entries that were too old to be replayed.
    private func dropExpired(_ file: URL) async throws {
        guard let expiry = settings.expiry else { return }
        var archive = try await HARArchive.read(from: file, limits: settings.limits)
        let now = Date()
        let count = archive.entries.count
        archive.entries.removeAll { $0.isOlder(than: expiry, at: now) }
        if archive.entries.count < count { try await archive.write(to: file) }
    }
}

extension HARArchive {
    /// Whether all entries are older than the expiry allows.
    fileprivate func isExpired(_ expiry: Duration?, at now: Date) -> Bool {
        !entries.isEmpty && entries.allSatisfy { $0.isOlder(than: expiry, at: now) }
    }

    /// Replaces entries with recorded ones for the same request, one by one, and adds the rest.
    func replacing(with recorded: [HAREntry], _ settings: ReplaySettings) -> HARArchive {
        var archive = self
        var places: [ComparedRequest?] = entries.map {
            ComparedRequest($0.request.redacted(), settings.matching.body, isRecorded: true)
        }
        for entry in recorded {
            let sent = ComparedRequest(entry.request.redacted(), settings.matching.body)
            let index = places.firstIndex { old in
                guard let old else { return false }
                return settings.matching.differences(between: sent, and: old, stopsEarly: true).isEmpty
            }
            if let index {
                archive.entries[index] = entry
                places[index] = nil
            } else {
                archive.entries.append(entry)
            }
        }
        return archive
    }
}
