public import Foundation

extension HTTPBody {
    /// All of the body, in memory.
    ///
    /// - Parameter limit: How much to take at most; 16 MiB by default.
    /// - Throws: ``BodyError/Problem/tooLarge(limit:)`` as soon as the body is, or says it is, larger; what reading
    ///   throws.
    public func collect(upTo limit: ByteCount = .mebibytes(16)) async throws -> Data {
        if let length = try await measuredLength(), length > limit.bytes { throw BodyError(.tooLarge(limit: limit)) }
        if let bytes { return bytes }
        var reader = try await makeReader()
        var result = Data()
        while let chunk = try await reader.read() {
            guard Int64(result.count + chunk.count) <= limit.bytes else { throw BodyError(.tooLarge(limit: limit)) }
            // A slice is copied: who takes all of a body expects its indices to begin at 0.
            if result.isEmpty, chunk.startIndex == 0 { result = chunk } else { result.append(chunk) }
        }
        return result
    }

    /// All of the body as UTF-8 text; bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameter limit: How many bytes to take at most; 16 MiB by default.
    /// - Throws: As ``collect(upTo:)`` does.
    public func text(upTo limit: ByteCount = .mebibytes(16)) async throws -> String {
        String(decoding: try await collect(upTo: limit), as: UTF8.self)
    }

    /// Reads a one-shot body to its end and discards it, so that its connection can be used again; one that is longer
    /// than `limit`, or that has not ended after `patience`, is dropped, which cancels its transfer.
    ///
    /// - Parameters:
    ///   - limit: How much to read at most, 64 KiB by default: beyond it, a new connection is cheaper than the rest of
    ///     the body.
    ///   - patience: How long to read at most, a second by default: a server that sends nothing more must not hold up
    ///     whoever only wants to be polite to a connection.
    ///   - time: The clock that counts `patience`; the system's by default. Whoever knows the request gives that of its
    ///     ``Request/environment``.
    /// - Returns: Whether the end was reached; `true` for a body with no transfer behind it.
    @discardableResult
    public func drain(
        upTo limit: ByteCount = .kibibytes(64),
        within patience: Duration = .seconds(1),
        time: any TimeSource = SystemTime()
    ) async -> Bool {
        guard !isReplayable else { return true }
        if let length, length > limit.bytes {
            // Opened and dropped, so that the transfer does not wait for a reader.
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

    /// The first bytes of the body, and a body that still has all of them.
    ///
    /// A replayable body is read from its beginning again later; of a one-shot body the returned body takes the place.
    ///
    /// - Parameter limit: How many bytes to look at, at most.
    /// - Throws: What reading throws.
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

    /// The body, and a view of its first bytes as they pass to whoever reads it.
    ///
    /// - Parameter limit: How many bytes to keep, at most.
    public func tee(upTo limit: ByteCount) -> (body: HTTPBody, seen: BodyTee) {
        let tee = BodyTee(limit: Int(clamping: limit.bytes))
        return (transformed(length: length) { TeeReader(inner: $0, tee: tee) }, tee)
    }
}

/// The part of a body that has been read so far: the first bytes, the number of all, and whether it ended.
public final class BodyTee: Sendable {
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

    /// The first bytes that passed.
    public var preview: BodyPreview {
        state.withLock { BodyPreview($0.bytes, isTruncated: $0.count > $0.bytes.count || !$0.isComplete) }
    }

    /// The number of bytes that passed.
    public var count: Int64 { state.withLock { $0.count } }

    /// Whether the body was read to its end.
    public var isComplete: Bool { state.withLock { $0.isComplete } }
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

/// Gives back chunks that were read ahead, then the rest.
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
