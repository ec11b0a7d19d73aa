import FlyingFox
import FlyingSocks
import Foundation
import HTTPChainHAR

/// Runs the receiver for as long as `body` takes.
func runReceiver(_ options: Options, _ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
    let store = RecordStore(keptIn: try options.keptFile.map { try KeptRecords(path: $0) })
    await store.load()
    for path in options.archives {
        let archive = try await HARArchive.read(from: URL(fileURLWithPath: path), limits: ArchiveRecords.limits)
        await store.append(ArchiveRecords.batch(of: archive).records)
    }
    let server = try makeServer(options, store)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            do {
                try await server.run()
            } catch SocketError.failed(_, _, let message) {
                throw ListeningError(description: "Port \(options.port) of \(options.host): \(message). Try --port 0.")
            }
        }
        group.addTask {
            // Writing to pages from time to time reveals those that are closed.
            while true {
                try await Task.sleep(for: .seconds(10))
                await store.wake()
            }
        }
        group.addTask { try await body(try await url(of: server, options)) }
        // When `body` ends, or on the first error, all tasks end.
        try await group.next()
        group.cancelAll()
    }
}

private func makeServer(_ options: Options, _ store: RecordStore) throws -> HTTPServer {
    guard let address = try? sockaddr_in.inet(ip4: options.host, port: options.port) else {
        throw UsageError(description: "--host is an IPv4 address such as 127.0.0.1, not \(options.host).")
    }
    // Without a replay buffer, a request that is refused midway gets its response immediately, rather than after the
    // rest has arrived.
    let configuration = HTTPServer.Configuration(
        address: address,
        timeout: 60,
        sharedRequestReplaySize: 0,
        logger: .disabled
    )
    let receiver = Receiver(store: store, isLocal: options.host.hasPrefix("127."))
    return HTTPServer(config: configuration, handler: receiver)
}

/// Waits until the server is listening, prints its URLs, and returns the base URL.
private func url(of server: HTTPServer, _ options: Options) async throws -> String {
    try await server.waitUntilListening(timeout: 120)
    guard case .ip4(_, let port) = await server.listeningAddress else {
        throw ListeningError(description: "The server did not get a port.")
    }
    let url = "http://\(options.host):\(port)"
    print(
        """
        LogReceiver is at \(url)

          OTLP     POST \(url)/v1/logs, /v1/traces, /v1/metrics
          Loki     POST \(url)/loki/api/v1/push
          NDJSON   POST \(url)/ndjson
          HAR      POST \(url)/har

        """
    )
    fflush(nil)
    return url
}

/// The error if the receiver can't listen.
struct ListeningError: Error, CustomStringConvertible {
    var description: String
}
