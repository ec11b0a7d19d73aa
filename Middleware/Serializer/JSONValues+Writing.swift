import Foundation
public import HTTPChainCore

extension HTTPBody {
    /// Returns a body of newline-delimited JSON (`application/x-ndjson`, JSON Lines), encoded line by line as it is
    /// sent.
    ///
    /// ```swift
    /// try await chain.send(
    ///     .post("events", headers: [.contentType: "application/x-ndjson"], body: .jsonLines(events))
    /// )
    /// ```
    ///
    /// Like the values, the body can be read only once.
    ///
    /// - Parameters:
    ///   - values: The values. Only one at a time is in memory.
    ///   - serializer: The serializer that encodes the values. Each value stays on one line.
    public static func jsonLines<Values: AsyncSequence & Sendable>(
        _ values: Values,
        serializer: JSONSerializer = .json
    ) -> HTTPBody where Values.Element: Encodable & Sendable, Values.AsyncIterator: SendableMetatype {
        let writer = JSONValueWriter(serializer, .lines)
        return .once(chunks: values.map { try writer.bytes($0) })
    }

    /// Returns a replayable body of newline-delimited JSON.
    ///
    /// See ``jsonLines(_:serializer:)-swift.type.method``.
    public static func jsonLines(
        _ values: [some Encodable & Sendable],
        serializer: JSONSerializer = .json
    ) -> HTTPBody {
        let writer = JSONValueWriter(serializer, .lines)
        return .replayable { ArrayReader(rest: values[...], writer: writer) }
    }

    /// Returns a body with a JSON sequence (`application/json-seq`, RFC 7464 §2.1), encoded as it is sent.
    ///
    /// Like the values, the body can be read only once.
    ///
    /// - Parameters:
    ///   - values: The values. Only one at a time is in memory.
    ///   - serializer: The serializer that encodes the values.
    public static func jsonSequence<Values: AsyncSequence & Sendable>(
        _ values: Values,
        serializer: JSONSerializer = .json
    ) -> HTTPBody where Values.Element: Encodable & Sendable, Values.AsyncIterator: SendableMetatype {
        let writer = JSONValueWriter(serializer, .sequence)
        return .once(chunks: values.map { try writer.bytes($0) })
    }

    /// Returns a replayable body with a JSON sequence (`application/json-seq`, RFC 7464 §2.1).
    public static func jsonSequence(
        _ values: [some Encodable & Sendable],
        serializer: JSONSerializer = .json
    ) -> HTTPBody {
        let writer = JSONValueWriter(serializer, .sequence)
        return .replayable { ArrayReader(rest: values[...], writer: writer) }
    }
}

/// The way in which JSON values are separated.
enum JSONFraming {
    /// Each value is on a separate line.
    case lines
    /// Each value follows a record separator (RFC 7464).
    case sequence
}

/// Encodes values one after another.
struct JSONValueWriter: Sendable {
    private let encoder: JSONEncoder
    private let framing: JSONFraming

    init(_ serializer: JSONSerializer, _ framing: JSONFraming) {
        encoder = serializer.makeEncoder()
        self.framing = framing
        if framing == .lines { encoder.outputFormatting.remove(.prettyPrinted) }
    }

    func bytes(_ value: some Encodable) throws -> Data {
        var bytes = framing == .sequence ? Data([LineSplitter.recordSeparator]) : Data()
        bytes.append(try encoder.encode(value))
        bytes.append(LineSplitter.lineFeed)
        return bytes
    }
}

private struct ArrayReader<Value: Encodable & Sendable>: BodyReader {
    var rest: ArraySlice<Value>
    let writer: JSONValueWriter

    /// Combines several small values into one chunk.
    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !rest.isEmpty else { return nil }
        var chunk = Data()
        while chunk.count < 16_384, let value = rest.popFirst() { chunk.append(try writer.bytes(value)) }
        return chunk
    }
}
