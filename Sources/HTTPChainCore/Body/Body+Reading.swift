public import Foundation

extension HTTPBody {
    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: The maximum number of bytes. Defaults to 16 MiB.
    /// - Throws: ``BodyError/Problem/tooLarge(limit:)`` as soon as the body exceeds the limit, or declares that it
    ///   will; errors of reading it.
    public func collect(upTo limit: ByteCount = .mebibytes(16)) async throws -> Data {
        if let length = try await measuredLength(), length > limit.bytes { throw BodyError(.tooLarge(limit: limit)) }
        if let bytes { return bytes }
        var reader = try await makeReader()
        var result = Data()
        while let chunk = try await reader.read() {
            guard Int64(result.count + chunk.count) <= limit.bytes else { throw BodyError(.tooLarge(limit: limit)) }
            // Copies a slice, because callers expect the indices of a whole body to start at 0.
            if result.isEmpty, chunk.startIndex == 0 { result = chunk } else { result.append(chunk) }
        }
        return result
    }

    /// Reads the whole body as UTF-8 text; invalid bytes become U+FFFD.
    ///
    /// - Parameter limit: The maximum number of bytes. Defaults to 16 MiB.
    /// - Throws: The errors of ``collect(upTo:)``.
    public func text(upTo limit: ByteCount = .mebibytes(16)) async throws -> String {
        String(decoding: try await collect(upTo: limit), as: UTF8.self)
    }

    /// Reads a one-shot body to its end and discards it, so that its connection can be reused.
    ///
    /// If the body is longer than `limit`, or hasn't ended after `patience`, it is dropped, which cancels its transfer.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to read. Defaults to 64 KiB; beyond that, a new connection is cheaper
    ///     than reading the rest of the body.
    ///   - patience: The maximum time to read. Defaults to one second, so that a silent server doesn't hold up a caller
    ///     that only wants to reuse the connection.
    ///   - time: The clock for `patience`. Defaults to the system's clock; use the clock of ``Request/environment`` if
    ///     the request is known.
    /// - Returns: Whether the end was reached; `true` for a body without a transfer behind it.
    @discardableResult
    public func drain(
        upTo limit: ByteCount = .kibibytes(64),
        within patience: Duration = .seconds(1),
        time: any TimeSource = ChainEnvironment.live.time
    ) async -> Bool {
        guard !isReplayable else { return true }
        if let length, length > limit.bytes {
            // Opens and drops the body, so that the transfer doesn't wait for a reader.
            _ = try? await makeReader()
            return false
        }
        let end = Handover<Bool>()
        let alarm = time.alarm(at: time.elapsed + patience, for: "the rest of a body that is discarded") {
            _ = end.give(false)
        }
        defer { alarm.cancel() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = end.give(await readToEnd(upTo: limit)) }
            defer { group.cancelAll() }
            return (try? await end.value()) ?? false
        }
    }

    private func readToEnd(upTo limit: ByteCount) async -> Bool {
        guard var reader = try? await makeReader() else { return true }
        var count: Int64 = 0
        while count <= limit.bytes {
            do {
                guard let chunk = try await reader.read() else { return true }
                count += Int64(chunk.count)
            } catch {
                return false
            }
        }
        return false
    }

    /// Reads a short one-shot body into memory, so that its transfer ends, and returns a body with the same bytes.
    ///
    /// If the body is longer than `limit`, or hasn't ended after `patience`, the returned body continues the transfer.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to read.
    ///   - patience: The maximum time to wait for them.
    ///   - time: The clock for `patience`.
    package func readAhead(
        upTo limit: ByteCount = .kibibytes(64),
        within patience: Duration = .seconds(1),
        time: any TimeSource
    ) async -> HTTPBody {
        guard !isReplayable, length ?? 0 <= limit.bytes else { return self }
        let end = Handover<Bool>()
        // Reads one more byte than the limit, because otherwise the end of a body of exactly that size isn't seen.
        let reading = ReadAhead(of: self, upTo: .bytes(limit.bytes + 1)) { _ = end.give(true) }
        let alarm = time.alarm(at: time.elapsed + patience, for: "a body that is read into memory") {
            _ = end.give(false)
        }
        defer { alarm.cancel() }
        let isRead = (try? await end.value()) ?? false
        if isRead, let body = try? await reading.body { return body }
        return .once(length: length) { try await reading.body.makeReader() }
    }

    /// Returns the first bytes of the body, and a body that still includes them.
    ///
    /// A replayable body can be read again later. Replace a one-shot body with the returned body.
    ///
    /// - Parameter limit: The maximum number of bytes to read ahead.
    /// - Throws: Errors of reading the body.
    public func peek(upTo limit: ByteCount) async throws -> (preview: BodyPreview, body: HTTPBody) {
        var reader = try await makeReader()
        var prefix: [Data] = []
        var bytes = Data()
        var ended = false
        let room = Int(clamping: limit.bytes)
        while bytes.count < room {
            guard let chunk = try await reader.read() else {
                ended = true
                break
            }
            prefix.append(chunk)
            bytes.append(chunk.prefix(room - bytes.count))
        }
        let length = try await measuredLength()
        let preview = BodyPreview(bytes, isTruncated: !ended && length != Int64(bytes.count))
        if isReplayable { return (preview, self) }
        if ended { return (preview, HTTPBody(prefix.reduce(into: Data()) { $0.append($1) })) }
        return (preview, Self.resuming(after: prefix, reader).declaring(length: length))
    }

    private static func resuming(after prefix: [Data], _ reader: sending any BodyReader) -> HTTPBody {
        let rest = Locked<(any BodyReader)?>(reader)
        return .once {
            let reader = rest.withLock { rest -> sending (any BodyReader)? in
                let taken = rest
                rest = nil
                return taken
            }
            return PrefixedReader(prefix: prefix, rest: reader)
        }
    }

    /// Returns the body, and a view of its first bytes as they are read.
    ///
    /// - Parameter limit: The maximum number of bytes to keep.
    package func tee(upTo limit: ByteCount) -> (body: HTTPBody, seen: BodyTee) {
        let tee = BodyTee(limit: Int(clamping: limit.bytes))
        return (transformed(length: length) { TeeReader(inner: $0, tee: tee) }, tee)
    }
}

/// The beginning of a body; it is read in the background until this object is dropped.
private final class ReadAhead: Sendable {
    private let task: Task<HTTPBody, any Error>

    init(of body: HTTPBody, upTo limit: ByteCount, whenRead: @escaping @Sendable () -> Void) {
        task = Task {
            defer { whenRead() }
            return try await body.peek(upTo: limit).body
        }
    }

    deinit {
        task.cancel()
    }

    /// The whole body, including the bytes already read.
    var body: HTTPBody {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}

/// The part of a body that has been read so far: its first bytes, its size, and whether it is complete.
package final class BodyTee: Sendable {
    private struct State {
        var bytes = Data()
        var count: Int64 = 0
        var isComplete = false
    }
    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = limit
    }

    func append(_ chunk: Data) {
        state.withLock { state in
            state.count += Int64(chunk.count)
            state.bytes.append(chunk.prefix(limit - state.bytes.count))
        }
    }

    func restart() {
        state.withLock { $0 = State() }
    }

    func finish() {
        state.withLock { $0.isComplete = true }
    }

    /// The first bytes that were read.
    package var preview: BodyPreview {
        state.withLock { BodyPreview($0.bytes, isTruncated: $0.count > $0.bytes.count || !$0.isComplete) }
    }

    /// The number of bytes that were read.
    package var count: Int64 { state.withLock { $0.count } }

    /// Whether the body was read to its end.
    package var isComplete: Bool { state.withLock { $0.isComplete } }
}

struct TeeReader: BodyReader {
    var inner: any BodyReader
    let tee: BodyTee

    init(inner: any BodyReader, tee: BodyTee) {
        self.inner = inner
        self.tee = tee
        tee.restart()
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else {
            tee.finish()
            return nil
        }
        tee.append(chunk)
        return chunk
    }
}

/// Returns chunks that were read ahead, then the rest.
struct PrefixedReader: BodyReader {
    private var prefix: ArraySlice<Data>
    private var rest: (any BodyReader)?

    init(prefix: [Data], rest: (any BodyReader)?) {
        self.prefix = prefix[...]
        self.rest = rest
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let chunk = prefix.popFirst() { return chunk }
        return try await rest?.read()
    }
}
