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
    /// It can be read only once, like the values.
    ///
    /// - Parameters:
    ///   - values: The values; only one at a time is in memory.
    ///   - serializer: The encoding of keys and dates; a value always stays on one line.
    public static func jsonLines<Values: AsyncSequence & Sendable>(
        _ values: Values,
        serializer: JSONSerializer = .json
    ) -> HTTPBody where Values.Element: Encodable & Sendable, Values.AsyncIterator: SendableMetatype {
        .once(chunks: mapped(values, JSONValueWriter(serializer, .lines)))
    }

    /// Returns a replayable body of newline-delimited JSON: see ``jsonLines(_:serializer:)-swift.type.method``.
    public static func jsonLines(
        _ values: [some Encodable & Sendable],
        serializer: JSONSerializer = .json
    ) -> HTTPBody {
        replayable(values, JSONValueWriter(serializer, .lines))
    }

    /// Returns a body with a JSON sequence (`application/json-seq`, RFC 7464 §2.1), encoded as it is sent.
    ///
    /// It can be read only once, like the values.
    ///
    /// - Parameters:
    ///   - values: The values; only one at a time is in memory.
    ///   - serializer: The encoding of keys and dates.
    public static func jsonSequence<Values: AsyncSequence & Sendable>(
        _ values: Values,
        serializer: JSONSerializer = .json
    ) -> HTTPBody where Values.Element: Encodable & Sendable, Values.AsyncIterator: SendableMetatype {
        .once(chunks: mapped(values, JSONValueWriter(serializer, .sequence)))
    }

    /// Returns a replayable body with a JSON sequence (`application/json-seq`, RFC 7464 §2.1).
    public static func jsonSequence(
        _ values: [some Encodable & Sendable],
        serializer: JSONSerializer = .json
    ) -> HTTPBody {
        replayable(values, JSONValueWriter(serializer, .sequence))
    }

    private static func mapped<Values: AsyncSequence & Sendable>(
        _ values: Values,
        _ writer: JSONValueWriter
    ) -> AsyncThrowingMapSequence<Values, Data> where Values.Element: Encodable & Sendable {
        values.map { try writer.bytes($0) }
    }

    private static func replayable<Value: Encodable & Sendable>(_ values: [Value], _ writer: JSONValueWriter)
        -> HTTPBody
    {
        .replayable { ArrayReader(rest: values[...], writer: writer) }
    }
}

/// Encodes values one after another.
struct JSONValueWriter: Sendable {
    enum Framing {
        case lines
        case sequence
    }

    private let encoder: JSONEncoder
    private let framing: Framing

    init(_ serializer: JSONSerializer, _ framing: Framing) {
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

    /// Combines several small values in one chunk.
    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !rest.isEmpty else { return nil }
        var chunk = Data()
        while chunk.count < 16_384, let value = rest.popFirst() { chunk.append(try writer.bytes(value)) }
        return chunk
    }
}
