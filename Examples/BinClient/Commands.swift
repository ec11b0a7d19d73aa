import Foundation
import HTTPChain
import HTTPChainLogShipper

func printError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}

/// The tool's commands.
enum Command: String, CaseIterable {
    case slides, login, upload, gzip, flaky, gone, slow, cached, logged

    /// Runs the command against a server, and prints its output.
    func run(_ base: String, file: String? = nil) async throws {
        let api = try BinAPI(base: base)
        switch self {
        case .slides:
            let slides = try await api.slides()
            print("\(slides.title), by \(slides.author)")
        case .login:
            print("Logged in as \(try await api.login()).")
            _ = try await BinAPI(base: base, password: "wrong").login()
        case .upload:
            let photo = try file.map { URL(fileURLWithPath: $0) } ?? Self.photo()
            let bar = TerminalProgressWriter(label: photo.lastPathComponent, showing: .upload)
            let received = try await api.upload(photo, showing: bar)
            print("The server has \(received.bytes) bytes.")
        case .gzip:
            let text = String(repeating: "the same again and again\n", count: 4000)
            let received = try await api.compressed(text)
            print("Sent \(text.utf8.count) bytes; the server got \(received.bytes), \(received.coding).")
        case .flaky:
            let response = try await api.fetch("flaky")
            print("\(response.status.code) after \(response.attempts) attempts")
        case .gone:
            _ = try await api.fetch("status/503")
        case .slow:
            let chain = try api.chain.replacing(
                AttemptTimeoutMiddleware.self,
                with: AttemptTimeoutMiddleware(connect: nil, response: .milliseconds(300), read: .milliseconds(300))
            )
            _ = try await chain.send(.get("slow").retry(.never))
        case .cached:
            try await Self.cached(base)
        case .logged:
            try await Self.logged(base)
        }
    }

    private static func cached(_ base: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bin-client-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let api = try BinAPI(base: base, cache: folder)
        for _ in 1...2 {
            let response = try await api.fetch("cached")
            let text = try await response.body.text()
            print("\(text): \(response.attempts == 0 ? "from the cache" : "from the server")")
        }
    }

    private static func logged(_ base: String) async throws {
        let shipper = LogShipper(
            to: base + "/logs",
            format: .ndjson,
            resource: LogResource(serviceName: "BinClient"),
            over: URLSessionTransport(),
            settings: .commandLine
        )
        _ = try await BinAPI(base: base, log: shipper).slides()
        print("Logs: \(try await shipper.shutdown())")
    }

    private static func photo() throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("photo.jpg")
        try Data(count: 3_000_000).write(to: file)
        return file
    }
}
