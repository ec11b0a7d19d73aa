#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("A thousand streams", .timeLimit(.minutes(20)))
struct SoakTests {
    @Test(
        "Every event comes once and in order, whatever cuts, restarts and pauses there are, and nothing is left",
        .seeded
    )
    func soak() async throws {
        let seed = Seed.current
        let servers = try await withThrowingTaskGroup(of: EventServer.self) { group in
            for index in 0..<1_000 {
                group.addTask { try await Self.stream(index, seed: seed) }
            }
            return try await group.reduce(into: [EventServer]()) { $0.append($1) }
        }
        #expect(servers.count == 1_000)
        for server in servers { try await server.waitForOpenStreams(0) }
    }

    private static let total = 60

    /// One stream of 60 events over as many connections as it takes.
    private static func stream(_ index: Int, seed: UInt64) async throws -> EventServer {
        let random = SeededRandom(seed: seed &+ UInt64(index) &* 7_919)
        let server = EventServer { connection in
            let first = (connection.lastEventID.flatMap { Int($0) } ?? 0) + 1
            guard first <= total else { return .noMore }
            switch random.index(below: 12) {
            case 0: return .status(.serviceUnavailable)
            case 1: return .failure(TransportError(.cannotConnect, sent: .nothing, stage: "soak"))
            default: return .stream(script(from: first, random))
            }
        }
        let chain = try Chain(transport: server, environment: .virtual(.automatic(), seed: seed &+ UInt64(index)))
        let stream = chain.events(.get("https://example.com/\(index)"))
        var iterator = stream.makeAsyncIterator()
        // Some are left in the middle, as by a reader who was cancelled.
        let last = random.index(below: 10) == 0 ? 1 + random.index(below: total) : total
        var expected = 1
        while expected <= last, let event = try await iterator.next() {
            #expect(event.data == "event \(expected)\n\(expected * expected)", "stream \(index)")
            #expect(event.lastEventID == "\(expected)")
            expected += 1
            switch random.index(below: 25) {
            case 0: stream.restart()
            case 1:
                stream.pause()
                stream.resume()
            default: break
            }
        }
        #expect(expected == last + 1, "stream \(index)")
        if last == total { #expect(try await iterator.next() == nil) }
        stream.close()
        return server
    }

    /// The events from one on, cut anywhere, in chunks of any size.
    private static func script(from first: Int, _ random: SeededRandom) -> EventScript {
        var text = ""
        for number in first...total {
            let end = ["\n", "\r", "\r\n"][random.index(below: 3)]
            if random.index(below: 5) == 0 { text += ": heartbeat" + end }
            text +=
                ["data: event \(number)", "data:\(number * number)", "id: \(number)", ""].joined(separator: end) + end
        }
        var bytes = Data(text.utf8)
        let isCut = random.index(below: 4) > 0
        if isCut { bytes = bytes.prefix(random.index(below: bytes.count)) }
        return EventScript { script in
            while !bytes.isEmpty {
                let size = 1 + random.index(below: 200)
                script.raw(Data(bytes.prefix(size)))
                bytes = bytes.dropFirst(size)
                if random.index(below: 6) == 0 { script.wait(.milliseconds(random.index(below: 30_000))) }
            }
            switch random.index(below: 3) {
            case 0: script.end()
            case 1: script.cut()
            // Silent, until the watchdog has had enough.
            default: script.wait(.seconds(10_000))
            }
        }
    }
}
#endif
