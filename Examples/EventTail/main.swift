// Prints the events of a stream, and the state of its connection.
//
//     swift run EventTail                           a server in this process that loses its connection now and then
//     swift run EventTail https://host/events       any stream of server-sent events, until it is interrupted

import Foundation
import HTTPChain
import HTTPChainTesting

do {
    if let url = CommandLine.arguments.dropFirst().first {
        try await tail(url, over: URLSessionTransport())
    } else {
        try await tail("https://demo.example/ticks", over: demoServer())
    }
} catch {
    print("\(error)")
    exit(1)
}

/// Prints every event, and each change of the connection, until the stream ends.
func tail(_ url: String, over transport: any Transport) async throws {
    let chain = try Chain(transport: transport) {
        TimeoutMiddleware(.seconds(30))
        RedirectMiddleware()
    }
    let stream = chain.events(.get(url))
    let states = stream.states
    async let shown: Void = {
        for await state in states { print("  [\(state)]") }
    }()
    for try await event in stream {
        print("\(event.lastEventID.map { "#\($0) " } ?? "")\(event.type): \(event.data)")
    }
    await shown
}

/// Returns a server that sends ten ticks over four connections.
///
/// Each connection breaks after three ticks, and the next one resumes.
func demoServer() -> EventServer {
    EventServer { connection in
        let first = (connection.lastEventID.flatMap { Int($0) } ?? 0) + 1
        // 204 means that the stream has ended.
        guard first <= 10 else { return .response(Response(.noContent)) }
        return .stream(
            EventScript {
                $0.retry(.milliseconds(300))
                for number in first..<min(first + 3, 11) {
                    $0.event("tick \(number)", type: "tick", id: "\(number)")
                    $0.wait(.milliseconds(100))
                }
                $0.cut()
            }
        )
    }
}
