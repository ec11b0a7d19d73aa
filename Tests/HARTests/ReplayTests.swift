#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Replaying an archive", .timeLimit(.minutes(10)))
struct ReplayTests {
    private func settings(_ change: (inout ReplaySettings) -> Void) -> ReplaySettings {
        var settings = ReplaySettings()
        change(&settings)
        return settings
    }

    @Test("A recorded answer comes back with its head and its content, framed anew")
    func answer() async throws {
        var entry = HAREntry.sample(text: "decoded, and longer")
        entry.response.statusText = "Fine"
        entry.response.fields = [
            HARField(name: ":status", value: "200"), HARField(name: "Content-Encoding", value: "gzip"),
            HARField(name: "Content-Length", value: "7"), HARField(name: "Transfer-Encoding", value: "chunked"),
            HARField(name: "Content-Digest", value: "sha-256=:AA==:"), HARField(name: "X-Two", value: "1"),
            HARField(name: "X-Two", value: "2"),
        ]
        let replay = ReplayTransport(HARArchive(entries: [entry]))
        let response = try await replay.send(.get("https://a.example/"))
        #expect(response.status == HTTPResponse.Status(code: 200, reasonPhrase: "Fine"))
        #expect(response.headers[values: try #require(HTTPField.Name("X-Two"))] == ["1", "2"])
        #expect(response.headers[.contentLength] == "19")
        #expect(response.headers.count == 3)
        #expect(response.request?.path == "/")
        #expect(try await response.body.text() == "decoded, and longer")
        await #expect(throws: BodyError.self) { try await response.body.text() }
        try await replay.finish()
    }

    @Test(
        "An entry with more fields than a message can hold fails its call, and so does one with forged times and sizes"
    )
    func forged() async throws {
        var entry = HAREntry.sample()
        entry.response.fields = (0..<70_000).map { HARField(name: "X-\($0)", value: "") }
        let error = await #expect(throws: HARError.self) {
            try await ReplayTransport(HARArchive(entries: [entry])).send(.get("https://a.example/"))
        }
        #expect(error?.description.contains("more than 10000 header fields") == true)

        var times = HAREntry.sample(text: "abc")
        times.durations = HARTimings(send: 1e308, wait: 1e308, receive: 1e308)
        times.customFields["_chunks"] = .array([.array([1e308, 1e308]), .array([1e308, 1e308])])
        #expect(try await ReplayTransport(HARArchive(entries: [times])).text(.get("https://a.example/")) == "abc")

        var endless = HAREntry.sample(text: "abc")
        endless.durations = HARTimings(receive: .infinity)
        #expect(try await ReplayTransport(HARArchive(entries: [endless])).text(.get("https://a.example/")) == "abc")
    }

    @Test("HEAD and 304 have no content")
    func withoutContent() async throws {
        let head = HAREntry.sample("HEAD", headers: [HARField(name: "Content-Length", value: "6")])
        let replay = ReplayTransport(HARArchive(entries: [head, .sample(status: 204, text: "")]))
        let response = try await replay.send(.head("https://a.example/"))
        #expect(response.headers[.contentLength] == "6")
        #expect(response.body.isEmpty)
        #expect(try await replay.send(.get("https://a.example/")).body.isEmpty)
    }

    @Test("Of entries that match, each answers in its turn; then it fails, or the last answers, or always the first")
    func sequences() async throws {
        let archive = HARArchive(entries: [.sample(text: "1"), .sample(text: "2"), .sample("POST", text: "3")])
        let once = ReplayTransport(archive)
        #expect(try await once.text(.get("https://a.example/")) == "1")
        #expect(try await once.text(.get("https://a.example/")) == "2")
        let error = await #expect(throws: UnmatchedReplayError.self) { try await once.send(.get("https://a.example/")) }
        #expect(error?.nearest.first?.differences.map(\.text) == ["it has answered already"])
        let last = ReplayTransport(archive, settings: settings { $0.sequence = .nextThenLast })
        var texts: [String] = []
        for _ in 0..<4 { texts.append(try await last.text(.get("https://a.example/"))) }
        #expect(texts == ["1", "2", "2", "2"])
        let first = ReplayTransport(archive, settings: settings { $0.sequence = .first })
        for _ in 0..<3 { #expect(try await first.text(.get("https://a.example/")) == "1") }
    }

    @Test("In the recorded order, a request that is not next fails and says which is")
    func order() async throws {
        let archive = HARArchive(entries: [.sample(), .sample("POST"), .sample("PUT")])
        let replay = ReplayTransport(archive, settings: settings { $0.keepsOrder = true })
        _ = try await replay.send(.get("https://a.example/"))
        let error = await #expect(throws: UnmatchedReplayError.self) {
            try await replay.send(.put("https://a.example/"))
        }
        #expect(error?.nearest.first?.differences.map(\.text) == ["it is not its turn: entry 2 is next"])
        _ = try await replay.send(.post("https://a.example/"))
        _ = try await replay.send(.put("https://a.example/"))
    }

    @Test("A request without a matching entry fails with the nearest ones and their differences, without secrets")
    func unmatched() async throws {
        let archive = HARArchive(entries: [
            .sample("GET", "https://a.example/users/1?page=1"), .sample("POST", "https://a.example/users"),
            .sample("GET", "https://b.example/other"), .sample("DELETE", "https://c.example/x"),
        ])
        let replay = ReplayTransport(archive)
        let error = await #expect(throws: UnmatchedReplayError.self) {
            try await replay.send(.get("https://a.example/users/1?page=2&token=hunter2hunter2"))
        }
        #expect(error?.nearest.map(\.number).first == 1)
        #expect(error?.nearest.count == 3)
        let text = "\(try #require(error))"
        #expect(
            text.hasPrefix(
                """
                ReplayTransport: no recorded entry matches GET https://a.example/users/1?page=2&token=<redacted>; \
                record it (mode .new), or loosen ReplayMatching if it is one of the recorded ones
                The nearest of 4 entries:
                entry 1, GET https://a.example/users/1?page=1
                  - query parameter "page" is "2"; recorded is "1"
                """
            ),
            "\(text)"
        )
        #expect(!text.contains("hunter2"))
    }

    @Test("Entries that were not asked for make the end fail")
    func unused() async throws {
        let replay = ReplayTransport(
            HARArchive(entries: [.sample(), .sample("PUT", "https://a.example/?sig=abcdefgh")])
        )
        _ = try await replay.send(.get("https://a.example/"))
        let error = await #expect(throws: UnusedEntriesError.self) { try await replay.finish() }
        #expect(error?.unused == ["2. PUT https://a.example/?sig=%3Credacted%3E"])
    }

    @Test(
        "Requests with conditions are answered by the validators that were recorded (RFC 9110 §13.2.2)",
        arguments: [
            ("If-None-Match", "\"v1\"", 304), ("If-None-Match", "\"v0\", W/\"v1\"", 304),
            ("If-None-Match", "\"a,b\", \"v1\"", 304), ("If-None-Match", "*", 304), ("If-None-Match", "\"v2\"", 200),
            ("If-Modified-Since", "Wed, 21 Oct 2026 07:28:00 GMT", 304),
            ("If-Modified-Since", "Wed, 21 Oct 2026 07:27:59 GMT", 200), ("If-Modified-Since", "never", 200),
            ("If-Match", "\"v1\"", 200), ("If-Match", "W/\"v1\"", 412), ("If-Match", "\"v2\"", 412),
            ("If-Unmodified-Since", "Wed, 21 Oct 2026 07:27:59 GMT", 412),
        ]
    )
    func conditions(_ field: String, _ value: String, _ status: Int) async throws {
        let headers = [
            HARField(name: "ETag", value: "\"v1\""), HARField(name: "Content-Type", value: "text/plain"),
            HARField(name: "Last-Modified", value: "Wed, 21 Oct 2026 07:28:00 GMT"),
        ]
        let replay = ReplayTransport(HARArchive(entries: [.sample(headers: headers)]))
        let name = try #require(HTTPField.Name(field))
        let response = try await replay.send(.get("https://a.example/", headers: [name: value]))
        #expect(response.status.code == status)
        #expect(try await response.body.text() == (status == 200 ? "answer" : ""))
        #expect(response.headers[.eTag] == (status == 412 ? nil : "\"v1\""))
        #expect((response.headers[.contentType] != nil) == (status == 200))
    }

    @Test("Only the asterisk alone matches an entry without a tag", arguments: [("\"a*b\"", 200), (" * ", 304)])
    func wildcard(value: String, status: Int) async throws {
        let replay = ReplayTransport(HARArchive(entries: [.sample()]))
        #expect(try await replay.send(.get("https://a.example/", headers: [.ifNoneMatch: value])).status.code == status)
    }

    @Test("A recorded 304 answers only a request with the same condition")
    func recorded304() async throws {
        let entry = HAREntry.sample(status: 304, headers: [HARField(name: "ETag", value: "\"v1\"")], text: "")
        let replay = ReplayTransport(HARArchive(entries: [entry]))
        let error = await #expect(throws: UnmatchedReplayError.self) {
            try await replay.send(.get("https://a.example/"))
        }
        #expect(error?.nearest.first?.differences.first?.part == .condition)
        await #expect(throws: UnmatchedReplayError.self) {
            try await replay.send(.get("https://a.example/", headers: [.ifNoneMatch: "\"v2\""]))
        }
        let response = try await replay.send(.get("https://a.example/", headers: [.ifNoneMatch: "\"v1\""]))
        #expect(response.status == .notModified)
    }

    @Test(
        "Answers take the time that was recorded, or as much of it as is wanted, on the clock of the chain",
        arguments: [1.0, 0.1]
    )
    func timing(_ factor: Double) async throws {
        var entry = HAREntry.sample(text: "abcdef")
        entry.durations = HARTimings(send: 100, wait: 900, receive: 3000)
        entry.customFields["_chunks"] = [[0, 2], [1000, 2], [3000, 2]]
        let archive = HARArchive(entries: [entry])
        let replay = ReplayTransport(
            archive,
            settings: settings { $0.delayFactor = factor }
        )
        #expect(!replay.capabilities.contains(.keepsDeadlines))
        let clock = VirtualClock.automatic()
        var request = Request.get("https://a.example/")
        request.environment = .virtual(clock)
        let start = clock.elapsed
        let response = try await replay.send(request)
        #expect(clock.elapsed - start == .milliseconds(Int(1000 * factor)))
        var arrivals: [String] = []
        for try await chunk in response.body {
            arrivals.append("\(String(decoding: chunk, as: UTF8.self)) \((clock.elapsed - start) / .milliseconds(1))")
        }
        #expect(arrivals == ["ab \(1000 * factor)", "cd \(2000 * factor)", "ef \(4000 * factor)"])
    }

    @Test("Failures are replayed: before the head, and in the middle of the content")
    func failures() async throws {
        var early = HAREntry.sample()
        early.response = HARResponse(status: 0)
        early.customFields = ["_error": "no route", "_errorKind": "cannotConnect", "_errorSent": "nothing"]
        var late = HAREntry.sample("POST", text: "begin")
        late.customFields = ["_error": "cut off", "_errorKind": "connectionLost"]
        var foreign = HAREntry.sample("PUT")
        foreign.response = HARResponse(status: 0)
        foreign.customFields = ["_error": "net::ERR_FAILED"]
        let replay = ReplayTransport(HARArchive(entries: [early, late, foreign]))
        let first = await #expect(throws: TransportError.self) { try await replay.send(.get("https://a.example/")) }
        #expect(first?.kind == .cannotConnect)
        #expect(first?.sent == .nothing)
        let response = try await replay.send(.post("https://a.example/"))
        var seen = ""
        let second = await #expect(throws: TransportError.self) {
            for try await chunk in response.body { seen += String(decoding: chunk, as: UTF8.self) }
        }
        #expect(seen == "begin")
        #expect(second?.kind == .connectionLost)
        #expect(second?.sent == .answered)
        let third = await #expect(throws: TransportError.self) { try await replay.send(.put("https://a.example/")) }
        #expect(third?.kind == .other)
        #expect(third?.detail == "recorded: net::ERR_FAILED")
    }

    @Test("Content that is not in the archive is an error, not an empty answer")
    func missingContent() async throws {
        var empty = HAREntry.sample()
        empty.response.content.text = nil
        var cut = HAREntry.sample("POST")
        cut.response.content.customFields["_truncated"] = true
        var broken = HAREntry.sample("PUT")
        broken.response.content.encoding = "base64"
        broken.response.content.text = "A"
        var outside = HAREntry.sample("DELETE")
        outside.response.content.customFields["_file"] = "../secret"
        let replay = ReplayTransport(
            HARArchive(entries: [empty, cut, broken, outside]),
            directory: URL(fileURLWithPath: "/tmp/x")
        )
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            let error = await #expect(throws: HARError.self) {
                try await replay.send(Request(method, "https://a.example/")).body.collect()
            }
            if case .contentNotRecorded = error?.problem {
            } else {
                Issue.record("\(method): \(String(describing: error))")
            }
        }
    }

    @Test(
        "A file of an archive is in its folder; its name is read by bytes, as the file system reads it",
        arguments: [
            ("a.bin", true), ("a/b.bin", true), ("a..b", true), ("...", true), ("e\u{301}.bin", true),
            ("/a", false), ("/\u{301}a", false), ("../a", false), ("a/../b", false), ("a/\u{301}../../b", false),
            ("a\\b", false), ("a\\\u{301}b", false), ("a//b", false), ("a/", false),
        ]
    )
    func namesOfFiles(_ name: String, _ isIn: Bool) async throws {
        let scratch = try ScratchDirectory.created()
        let folder = scratch.url.appendingPathComponent("archive", isDirectory: true)
        if isIn {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("content".utf8).write(to: file)
        }
        var entry = HAREntry.sample()
        entry.response.content.customFields["_file"] = .string(name)
        let replay = ReplayTransport(HARArchive(entries: [entry]), directory: folder)
        if isIn {
            #expect(try await replay.send(.get("https://a.example/")).body.text() == "content")
        } else {
            let error = await #expect(throws: HARError.self) {
                try await replay.send(.get("https://a.example/")).body.collect()
            }
            #expect("\(String(describing: error))".contains("outside the archive's folder"))
        }
    }

    @Test("A symbolic link leads to a file of an archive in its folder, and to none outside")
    func linkedFiles() async throws {
        let scratch = try ScratchDirectory.created()
        let files = FileManager.default
        let folder = scratch.url.appendingPathComponent("archive", isDirectory: true)
        let outside = scratch.url.appendingPathComponent("archive-2", isDirectory: true)
        for directory in [folder, outside] {
            try files.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(directory.lastPathComponent.utf8).write(to: directory.appendingPathComponent("file"))
        }
        for (link, destination) in [
            ("inside", "file"), ("out", "../archive-2/file"), ("folder", "../archive-2"),
            ("absolute", outside.appendingPathComponent("file").path),
        ] {
            let path = folder.appendingPathComponent(link).path
            try files.createSymbolicLink(atPath: path, withDestinationPath: destination)
        }
        // The folder itself may be reached through a link.
        let linked = scratch.url.appendingPathComponent("linked").path
        try files.createSymbolicLink(atPath: linked, withDestinationPath: "archive")
        for directory in [folder, URL(fileURLWithPath: linked, isDirectory: true)] {
            for (name, isIn) in [
                ("file", true), ("inside", true), ("out", false), ("folder/file", false), ("absolute", false),
            ] {
                var entry = HAREntry.sample()
                entry.response.content.customFields["_file"] = .string(name)
                let replay = ReplayTransport(HARArchive(entries: [entry]), directory: directory)
                let text = try? await replay.send(.get("https://a.example/")).body.text()
                #expect(text == (isIn ? "archive" : nil), "\(name)")
            }
        }
    }

    @Test("Dates move to the present, so that a response is as fresh as it was")
    func dates() async throws {
        let started = try #require(HTTPDate("Wed, 21 Oct 2015 07:28:00 GMT")).date
        let headers = [
            HARField(name: "Date", value: "Wed, 21 Oct 2015 07:28:01 GMT"),
            HARField(name: "Expires", value: "Wed, 21 Oct 2015 08:28:01 GMT"),
            HARField(name: "Last-Modified", value: "Wed, 21 Oct 2015 07:00:00 GMT"),
        ]
        let archive = HARArchive(entries: [.sample(headers: headers, started: started)])
        let clock = VirtualClock.automatic()
        for shifts in [true, false] {
            let replay = ReplayTransport(archive, settings: settings { $0.shiftsDates = shifts })
            var request = Request.get("https://a.example/")
            request.environment = .virtual(clock)
            let response = try await replay.send(request)
            let date = try #require(response.headers[.date].flatMap { HTTPDate($0)?.date })
            let expires = try #require(response.headers[.expires].flatMap { HTTPDate($0)?.date })
            #expect(expires.timeIntervalSince(date) == 3600)
            #expect((abs(date.timeIntervalSince(clock.date)) <= 2) == shifts)
            #expect(response.headers[.lastModified] == "Wed, 21 Oct 2015 07:00:00 GMT")
        }
    }

    @Test("Many requests at a time get each entry once")
    func concurrency() async throws {
        let archive = HARArchive(entries: (0..<200).map { .sample(text: "\($0)") })
        let replay = ReplayTransport(archive)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await replay.text(.get("https://a.example/")) } }
            var texts: Set<String> = []
            for try await text in group { texts.insert(text) }
            return texts
        }
        #expect(texts.count == 200)
        try await replay.finish()
    }

    @Test("A request that no transport sends fails here too, and one that was cancelled is not answered")
    func invalid() async throws {
        let replay = ReplayTransport(HARArchive(entries: [.sample()]))
        await #expect(throws: InvalidRequestError.self) { try await replay.send(.get("users")) }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await replay.send(.get("https://a.example/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(throws: UnusedEntriesError.self) { try replay.assertAllUsed() }
    }
}
#endif
