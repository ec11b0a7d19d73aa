#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPTypes
import TestSupport
import Testing

@MainActor
private final class Bar {
    var value = 0.0
}

private struct GzipMiddleware: Middleware {
    func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
}

private struct RetryMiddleware: Middleware {
    func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
}

/// The examples of the documentation, which compile here.
@Suite("The documentation", .timeLimit(.minutes(10)))
@MainActor
struct DocumentationTests {
    private let transport = InMemoryTransport()
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("progress-\(UUID().uuidString)")

    @Test("The stage's example saves the file and fills the bar")
    func stage() async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let bar = Bar()
        let chain = try Chain(transport: transport) {
            ProgressMiddleware()  // the caller's bytes
            GzipMiddleware()
            RetryMiddleware()
            ProgressMiddleware(.wire)  // optional: each attempt, as sent and received
        }
        try await Request.get("https://example.com/map.zip").withProgress { @MainActor progress in
            bar.value = progress.fraction ?? 0
        } perform: { request in
            try await chain.send(request).body.save(to: file)
        }
        #expect(bar.value == 1)
        #expect(try Data(contentsOf: file).count == 7)
    }

    @Test("The sequence's example saves the file and shows the number")
    func sequence() async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let label = Label()
        let file = file
        let chain = try Chain(transport: transport) { ProgressMiddleware() }
        let (request, updates) = Request.get("https://example.com/map.zip").observingProgress()
        async let saved = chain.send(request).body.save(to: file)
        for await progress in updates {  // on the actor that this code runs on
            label.text = "\(progress.completed)"
        }
        let size = try await saved
        #expect(size == 7 && label.text == "7")
    }

    @Test("The example of an upload observes it")
    func upload() {
        let photo = URL(fileURLWithPath: "/tmp/photo.jpg")
        let line = TerminalProgressWriter(label: "photo.jpg", showing: .upload)
        let upload = Request.post("https://example.com/photos", body: .file(photo)).progress { line.show($0) }
        #expect(upload.options.names == ["ProgressOption"])
    }

    @Test("The writer's example shows a file")
    func writer() {
        let writer = TerminalProgressWriter(label: "map.zip", showing: .download)
        let request = Request.get("https://example.com/map.zip").progress { writer.show($0) }
        writer.print("a message that does not land on the bar's line")
        #expect(request.options.names == ["ProgressOption"])
    }

    @Test(
        "Each example of the documentation is part of this file",
        arguments: [
            "ProgressMiddleware.swift", "ProgressOptions.swift", "Request+WithProgress.swift",
            "Terminal/TerminalProgressWriter.swift",
        ]
    )
    func examples(page: String) throws {
        let here = URL(fileURLWithPath: #filePath)
        let text = try Repository.text("Middleware/Progress/\(page)")
        let source = Set(try String(contentsOf: here, encoding: .utf8).split(separator: "\n").map(words))
        var isExample = false
        var count = 0
        for line in text.split(separator: "\n").map(words) where line.first == "///" {
            if line.dropFirst().first?.hasPrefix("```") == true {
                isExample.toggle()
            } else if isExample, line.count > 1 {
                count += 1
                #expect(source.contains(Array(line.dropFirst())), "\(line)")
            }
        }
        #expect(count > 1)
    }

    private final class Label {
        var text = ""
    }

    private nonisolated func words(_ line: Substring) -> [Substring] { line.split(separator: " ") }
}
#endif
