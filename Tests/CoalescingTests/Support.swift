import Foundation
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport

let target = "https://api.example.com/plants"

/// A stage over a transport whose answers wait until the test lets them go.
struct Bench {
    let transport = InMemoryTransport()
    let stage: CoalescingMiddleware
    let gate = Rendezvous()

    init(_ stage: CoalescingMiddleware = CoalescingMiddleware(partition: .shared)) {
        self.stage = stage
    }

    /// Answers every request, once the gate is reached, with a response made anew.
    func answer(_ makeResponse: @escaping @Sendable () throws -> Response) {
        let gate = gate
        transport.on(nil, "*") { _ in
            try await gate.wait()
            return try makeResponse()
        }
    }

    func send(_ request: Request) async throws -> Response {
        try await stage.intercept(request, next: Next(to: transport))
    }

    /// Starts calls of one request and returns when all of them wait for the head of a response.
    func start(_ count: Int, _ request: Request = .get(target)) async throws -> [Task<Response, any Error>] {
        let waiting = stage.transfers.waiterCount
        let tasks = (0..<count).map { _ in Task { try await send(request) } }
        try await until { stage.transfers.waiterCount == waiting + count }
        return tasks
    }

    /// The responses to calls of one request that share a transfer, whose body comes from a feed.
    func responses(_ count: Int, _ feed: ChunkFeed) async throws -> [Response] {
        answer { Response(.ok, body: feed.body) }
        let tasks = try await start(count)
        gate.reach()
        var responses: [Response] = []
        for task in tasks { responses.append(try await task.value) }
        return responses
    }
}

/// Bytes that tell where in a body they stand.
func pattern(_ range: Range<Int>) -> Data { Data(range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }) }
