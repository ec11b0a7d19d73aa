import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPTypes

/// Streams of events, read from memory.
public enum StreamScenarios {
    /// How many events one chunk holds.
    public static let eventsInChunk = 500

    /// Five hundred events of some 100 bytes, with their ids.
    static let chunk: Data = Data(
        (0..<eventsInChunk).map {
            "id: \($0)\ndata: {\"number\":\($0),\"text\":\"\(String(repeating: "x", count: 64))\"}\n\n"
        }
        .joined().utf8
    )

    /// Finds the lines, and makes data of each as a plain splitter does: what there is to do at least.
    public static func lines(named name: String) -> Scenario {
        Scenario(name: name) { count in
            for _ in 0..<count {
                var found = 0
                var rest = chunk[...]
                while let end = rest.firstIndex(of: 0x0A) {
                    if end > rest.startIndex { found += Data(rest[..<end]).count }
                    rest = rest[(end + 1)...]
                }
                guard found > 0 else { throw Wrong() }
            }
        }
    }

    /// Reads the events of the chunk without a chain.
    public static func parser(named name: String) -> Scenario {
        Scenario(name: name) { count in
            for _ in 0..<count {
                var found = 0
                for try await _ in HTTPBody(chunk).serverSentEvents() { found += 1 }
                guard found == eventsInChunk else { throw Wrong() }
            }
        }
    }

    /// Reads the events through a chain, with everything that a stream watches over.
    public static func stream(named name: String) throws -> Scenario {
        let chain = try Chain([], transport: ChunkTransport())
        return Scenario(name: name) { count in
            let options = EventStreamOptions(reconnection: .never, lastEventID: "\(count)")
            var found = 0
            for try await _ in chain.events(.get("https://api.example.com/events"), options: options) { found += 1 }
            guard found == count * eventsInChunk else { throw Wrong() }
        }
    }

    /// Reads one event of a size in parts.
    public static func hugeEvent(of size: Int64, named name: String) -> Scenario {
        Scenario(name: name) { _ in
            let piece = Data(repeating: 0x61, count: 65_536)
            let body = HTTPBody.once { HugeEventReader(piece: piece, rest: size) }
            var count: Int64 = 0
            for try await case .data(let data) in body.eventParts() { count += Int64(data.count) }
            guard count == size / 65_536 * 65_536 else { throw Wrong() }
        }
    }

    struct Wrong: Error {}
}

/// Answers with as many chunks of events as the last id says.
private struct ChunkTransport: Transport {
    let name = "ChunkTransport"
    var capabilities: TransportCapabilities { [.backpressure] }

    func send(_ request: consuming Request) async throws -> Response {
        let name = HTTPField.Name("Last-Event-ID")
        let count = name.flatMap { request.head.headerFields[$0] }.flatMap { Int($0) } ?? 0
        return Response(
            .ok,
            headers: [.contentType: "text/event-stream"],
            body: .once { ChunkReader(rest: count) }
        )
    }
}

private struct ChunkReader: BodyReader {
    var rest: Int

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard rest > 0 else { return nil }
        rest -= 1
        return StreamScenarios.chunk
    }
}

private struct HugeEventReader: BodyReader {
    let piece: Data
    var rest: Int64
    var hasBegun = false

    init(piece: Data, rest: Int64) {
        self.piece = piece
        self.rest = rest
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard hasBegun else {
            hasBegun = true
            return Data("data:".utf8)
        }
        guard rest >= Int64(piece.count) else {
            guard rest >= 0 else { return nil }
            rest = -1
            return Data("\n\n".utf8)
        }
        rest -= Int64(piece.count)
        return piece
    }
}
