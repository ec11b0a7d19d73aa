import Foundation
import HTTPChain
import HTTPChainTesting

/// Runs the tool with an invalid file and with a valid one.
func demonstrate() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("routes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func file(_ name: String, _ text: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
    let wrong = try file(
        "wrong.json",
        """
        {
          "service": { "host": "api.example.com" },
          "routes": {
            "doc": { "method": "get", "path": "documents/{uniqueId" },
            "add": { "method": "PUT", "path": "things", "invalidates": ["lsit"], }
          }
        }
        """
    )
    let right = try file(
        "routes.json",
        """
        {
          "service": { "protocol": "https", "host": "api.example.com", "path": "/v1" },
          "routes": {
            "doc": { "path": "documents/{uniqueId}", "responseRootKeyPath": "document" },
            "add": { "method": "POST", "path": "things", "serialization": "form", "header": {} }
          }
        }
        """
    )
    let server = try await LoopbackServer.start { exchange in
        let body = String(decoding: try await exchange.readBody(), as: UTF8.self)
        let json = [("Content-Type", "application/json")]
        switch exchange.request.target {
        case "/v1/documents/123":
            try await exchange.reply(200, fields: json, body: Data(#"{"document":{"title":"Roses"}}"#.utf8))
        case "/v1/things":
            let parts = body.components(separatedBy: "form-data; name=").count - 1
            let kind = parts > 0 ? "\(parts) parts" : body
            try await exchange.reply(201, fields: [("Content-Type", "text/plain")], body: Data("got \(kind)".utf8))
        default: try await exchange.reply(404, body: Data())
        }
    }
    let port = server.origin.split(separator: ":").last.map(String.init) ?? ""
    let environment = ["ROUTES_PROTOCOL": "http", "ROUTES_HOST": "127.0.0.1", "ROUTES_PORT": port]
    for arguments in [
        ["check", wrong], ["check", right], ["list", right], ["call", right, "doc", "uniqueId=123"],
        ["call", right, "add", "name:Spade"], ["call", right, "add", "name:Spade", "image@\(right)"],
        ["call", right, "doc"],
    ] {
        print("> RouteTool \(arguments.joined(separator: " ").replacingOccurrences(of: folder.path + "/", with: ""))")
        do {
            try await onThread {
                try run(arguments, environment: environment) {
                    print($0.replacingOccurrences(of: folder.path + "/", with: ""))
                }
            }
        } catch {
            print("\(error)")
        }
    }
    await server.stop()
}

/// Runs a command on a thread that may block, as in a program without `async`.
private func onThread(_ command: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
        Thread { done.resume(with: Result(catching: command)) }.start()
    }
}
