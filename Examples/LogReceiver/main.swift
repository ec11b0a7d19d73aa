// Receives logs and shows them live on a web page.
//
//     swift run LogReceiver              http://127.0.0.1:4318
//     swift run LogReceiver --demo       with sample traffic of a chain that logs to it

import FlyingFox
import FlyingSocks
import Foundation

let options: Options
do {
    options = try Options(CommandLine.arguments.dropFirst())
} catch {
    FileHandle.standardError.write(Data("Error: \(error)\n\n\(Options.usage)\n".utf8))
    exit(2)
}

do {
    try await withReceiver(options) { url in
        guard options.isDemo else { return try await Task.sleep(for: .seconds(Int64(Int32.max))) }
        try await runDemo(url, format: options.demoFormat, endsWhenReceived: options.endsAfterDemo)
    }
} catch {
    FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
    exit(1)
}

/// Runs the receiver for as long as `body` takes.
func withReceiver(_ options: Options, _ body: (_ url: String) async throws -> Void) async throws {
    let store = RecordStore()
    let receiver = Receiver(store: store, isLocal: options.host.hasPrefix("127."))
    let address = try sockaddr_in.inet(ip4: options.host, port: options.port)
    // Without a replay buffer a request that is refused in the middle is answered at once, not when its rest has come.
    let configuration = HTTPServer.Configuration(
        address: address,
        timeout: 60,
        sharedRequestReplaySize: 0,
        logger: .disabled
    )
    let server = HTTPServer(config: configuration, handler: receiver)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        group.addTask {
            while true {
                try await Task.sleep(for: .seconds(10))
                await store.wake()
            }
        }
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else {
            throw UsageError(description: "The server did not get a port.")
        }
        let url = "http://\(options.host):\(port)"
        print(
            """
            LogReceiver is at \(url)

              OTLP     POST \(url)/v1/logs
              Loki     POST \(url)/loki/api/v1/push
              NDJSON   POST \(url)/ndjson

            """
        )
        fflush(nil)
        try await body(url)
        group.cancelAll()
    }
}
