#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("Files of archives", .timeLimit(.minutes(10)))
struct FileTests {
    private let scratch: ScratchDirectory
    private let file: URL

    init() throws {
        scratch = try ScratchDirectory.created()
        file = scratch.file("folder/a.har")
        try FileManager.default.createDirectory(at: scratch.file("folder"), withIntermediateDirectories: true)
    }

    private func chain(_ recorder: HARRecorder) throws -> Chain {
        try Chain(
            transport: InMemoryTransport { request in
                Response(.ok, headers: [.contentType: "text/plain"], body: HTTPBody(request.url))
            }
        ) { RecordingMiddleware(recorder) }
    }

    private func record(_ names: [String], to recorder: HARRecorder) async throws {
        let chain = try chain(recorder)
        for name in names { _ = try await chain.text(.get("https://a.example/\(name)")) }
        try await recorder.flush()
    }

    private func names() throws -> [String] {
        try HARArchive(Data(contentsOf: file)).entries.map {
            $0.request.url.split(separator: "/").last.map(String.init) ?? ""
        }
    }

    @Test("The file is a whole archive after each entry, and is appended to later")
    func appending() async throws {
        let recorder = HARRecorder(file: file)
        for count in 1...3 {
            try await record(["\(count)"], to: recorder)
            #expect(try names() == (1...count).map { "\($0)" })
        }
        try await record(["4"], to: HARRecorder(file: file))
        #expect(try names() == ["1", "2", "3", "4"])
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
    }

    @Test(
        "Archives of other programs are appended to, and keep what stands behind their entries",
        arguments: ["chromium", "firefox", "mitmproxy", "playwright"]
    )
    func foreign(_ program: String) async throws {
        let archive = try Fixtures.archive(program)
        try Data(contentsOf: Fixtures.url("\(program).har")).write(to: file)
        try await record(["new", "newer"], to: HARRecorder(file: file))
        let extended = try HARArchive(Data(contentsOf: file))
        #expect(extended.creator == archive.creator)
        #expect(extended.pages == archive.pages)
        #expect(Array(extended.entries.dropLast(2)) == archive.entries)
        #expect(try names().suffix(2) == ["new", "newer"])
    }

    @Test("A file that was cut off anywhere is mended: whole entries stay, and further ones are added")
    func mending() async throws {
        try await record(["1", "2"], to: HARRecorder(file: file))
        let whole = try Data(contentsOf: file)
        for length in stride(from: 0, to: whole.count, by: 7) {
            try Data(whole.prefix(length)).write(to: file)
            let saved = try HARArchive(Data(whole.prefix(length)), salvaging: true).entries.count
            try await record(["3"], to: HARRecorder(file: file))
            #expect(try names() == (1...2).prefix(saved).map { "\($0)" } + ["3"], "cut at \(length)")
        }
    }

    @Test("A file that is no archive is not touched")
    func otherFile() async throws {
        try Data("{\"mine\": true}".utf8).write(to: file)
        let error = await #expect(throws: HARError.self) {
            try await self.record(["1"], to: HARRecorder(file: self.file))
        }
        #expect(error?.reason == "\(file.path): log is missing")
        #expect(try String(contentsOf: file, encoding: .utf8) == "{\"mine\": true}")
    }

    @Test("A file that cannot be written is an error of flush, once, and not of the calls")
    func unwritable() async throws {
        let recorder = HARRecorder(file: scratch.file("folder"))
        let chain = try chain(recorder)
        #expect(try await chain.text(.get("https://a.example/1")) == "https://a.example/1")
        await #expect(throws: HARError.self) { try await recorder.flush() }
        try await recorder.flush()
    }

    @Test("Several stages and several recorders write to one file at the same time", .heavy)
    func writers() async throws {
        let recorders = [
            HARRecorder(file: file), HARRecorder(file: file), HARRecorder(file: file, bodies: .files(over: 4)),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<12 {
                group.addTask {
                    let chain = try self.chain(recorders[task % 3])
                    for call in 0..<20 { _ = try await chain.text(.get("https://a.example/\(task)-\(call)")) }
                }
            }
            try await group.waitForAll()
        }
        for recorder in recorders { try await recorder.flush() }
        let expected = Set((0..<12).flatMap { task in (0..<20).map { "\(task)-\($0)" } })
        let found = try names()
        #expect(found.count == 240)
        #expect(Set(found) == expected)
    }

    @Test("Large bodies go into files beside the archive, and are replayed from there")
    func bodies() async throws {
        let large = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let recorder = HARRecorder(file: file, bodies: .files(over: .kibibytes(16)))
        let chain = try Chain(
            transport: InMemoryTransport { request in
                Response(.ok, headers: [.contentType: "image/png"], body: HTTPBody(try await request.body.collect()))
            }
        ) { RecordingMiddleware(recorder) }
        _ = try await chain.send(.post("https://a.example/", body: HTTPBody(large))).body.collect()
        _ = try await chain.send(.put("https://a.example/", body: "small")).body.collect()
        let archive = try await recorder.archive()
        let name = try #require(archive.entries[0].response.content.customFields["_file"]?.string)
        #expect(name.hasPrefix("a.har.bodies/"))
        #expect(try Data(contentsOf: scratch.file("folder/\(name)")) == large)
        #expect(archive.entries[1].response.content.text == "small")
        var settings = ReplaySettings()
        settings.matching.body = .ignored
        let replay = try await ReplayTransport(file: file, settings: settings)
        let response = try await replay.send(.post("https://a.example/", body: HTTPBody(large)))
        #expect(response.headers[.contentLength] == "100000")
        #expect(try await response.body.collect() == large)
    }

    @Test("Writing an archive replaces the file in one step")
    func writing() async throws {
        try await HARArchive(entries: [.sample()]).write(to: file)
        let archive = HARArchive(entries: [.sample(), .sample("PUT")])
        try await archive.write(to: file)
        #expect(try await HARArchive.read(from: file) == archive)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.file("folder").path) == ["a.har"])
    }
}
#endif
