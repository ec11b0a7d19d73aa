// Uploads files with a progress bar, and shows the client's activity in the terminal.
//
//     swift run Upload                              three files of this program's, to a server in this process
//     swift run Upload https://host/path file...    files of yours

import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting

/// One file in a form.
struct UploadFile: TypedRequest {
    typealias Output = String
    var target: String
    var file: URL

    var method: HTTPRequest.Method { .post }
    var path: String { target }

    func configure(_ request: inout Request) throws {
        request = request.multipart(MultipartForm(parameters: ["from": "Upload"], parts: [.file("file", file)]))
    }
}

/// Uploads files, two at a time, and prints their progress.
func upload(_ files: [URL], to target: String) async throws {
    let chain = try Chain(transport: URLSessionTransport()) {
        ErrorHandlerMiddleware(.problemDetails)
        ProgressMiddleware()
        TimeoutMiddleware(.seconds(600))
        StatusValidationMiddleware()
        MultipartMiddleware()
        RetryMiddleware()
        ConcurrencyLimitMiddleware(.fixed(2))
    }
    let client = Client(slowAfter: .seconds(10), endpoints: [Endpoint("upload", over: chain)])
    let events = client.events()
    async let outcomes = withTaskGroup(of: String.self) { group in
        for file in files {
            group.addTask { await report(client, UploadFile(target: target, file: file)) }
        }
        return await group.reduce(into: []) { $0.append($1) }.sorted()
    }
    // As in a window, there is a bar for each call, an activity indicator, and a message if it takes long.
    let bars = TerminalProgressWriter(label: "upload", showing: .upload, linesEvery: .seconds(1))
    var ended = 0
    for await event in events {
        let name = (event.request as? UploadFile)?.file.lastPathComponent ?? "?"
        switch event.change {
        case .willBegin: bars.print("activity: \(name) begins")
        case .progress(let progress): bars.show(progress)
        case .slow(let limit): bars.print("activity: \(name) takes longer than \(limit)")
        case .succeeded: bars.print("activity: \(name) has ended")
        case .failed(let error): bars.print("activity: \(name) failed: \(error)")
        default: break
        }
        ended += event.change.isEnd ? 1 : 0
        if ended == files.count { break }
    }
    for line in await outcomes { print(line) }
    print("calls running: \(client.registry.calls.count)")
}

private func report(_ client: Client, _ request: UploadFile) async -> String {
    switch await client.makeCall(request).outcome {
    case .success(let answer): "\(request.file.lastPathComponent): \(answer)"
    case .failure(let error):
        "\(request.file.lastPathComponent): \((error as? any HTTPChainError)?.reason ?? "\(error)")"
    case .cancelled: "\(request.file.lastPathComponent): cancelled"
    }
}

/// Uploads temporary files to a server in this process.
func demonstrate() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try (1...3).map { number in
        let file = folder.appendingPathComponent("photo-\(number).jpg")
        try Data(repeating: UInt8(number), count: number << 18).write(to: file)
        return file
    }
    let server = try await LoopbackServer.start { exchange in
        let body = try await exchange.readBody()
        let answer = "\(body.count >> 18) quarters of a MiB arrived"
        try await exchange.reply(201, fields: [("Content-Type", "text/plain")], body: Data(answer.utf8))
    }
    try await upload(files, to: server.url("/photos"))
    await server.stop()
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    if let target = arguments.first {
        try await upload(arguments.dropFirst().map { URL(fileURLWithPath: $0) }, to: target)
    } else {
        try await demonstrate()
    }
} catch {
    print("\(error)")
    exit(1)
}
