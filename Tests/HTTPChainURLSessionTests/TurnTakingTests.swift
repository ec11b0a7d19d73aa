#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

// In one suite with the checks: downloads without a pause take the queue that all transfers of the process share.
extension URLSessionConformanceTests {
    /// Answers `/` at once, and all else with a body that never ends and never pauses.
    private static func flood(_ closed: Events<String>) -> @Sendable (ServerConnection) async throws -> Void {
        { connection in
            let request = try await connection.readRequest()
            guard request?.line.hasPrefix("GET / ") == false else {
                return try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            let chunk = Data(count: 65_536)
            do {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
                while true { try await connection.send(chunk) }
            } catch {
                closed.add("closed")
            }
        }
    }

    @Test(
        "A call is answered, and downloads end when they are cancelled, while others never pause",
        .timeLimit(.minutes(10))
    )
    func turns() async throws {
        let transport = URLSessionTransport()
        let closed = Events<String>()
        try await withServer(Self.flood(closed)) { base async throws in
            let begun = Events<Int>()
            let downloads = (0..<3).map { number in
                Task {
                    var isFirst = true
                    for try await _ in try await transport.send(.get(base + "/endless")).body {
                        if isFirst { begun.add(number) }
                        isFirst = false
                    }
                }
            }
            for _ in downloads { _ = try await begun.next() }
            #expect(try await transport.send(.get(base + "/")).body.text() == "ok")
            for download in downloads {
                download.cancel()
                await #expect(throws: CancellationError.self) { try await download.value }
                #expect(try await closed.next() == "closed")
            }
        }
    }
}
#endif
