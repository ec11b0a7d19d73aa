#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainResumableUpload
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Resumable uploads", .timeLimit(.minutes(10)))
struct ResumableUploadMiddlewareTests {
    private let url = "https://example.com/files"
    private let bytes = Data((0..<40).map { UInt8($0) })

    private func request(_ body: HTTPBody? = nil, _ upload: ResumableUpload = ResumableUpload()) -> Request {
        var request = Request.post(url, headers: [.contentType: "image/png"], body: body ?? HTTPBody(bytes))
        request.environment = .virtual(.automatic())
        return request.resumableUpload(upload)
    }

    private func send(
        _ request: Request,
        to server: UploadServer,
        _ name: UploadProtocol = .tus,
        store: any UploadStore = MemoryUploadStore(),
        options: ResumableUploadOptions = ResumableUploadOptions()
    ) async throws -> Response {
        let stage = ResumableUploadMiddleware(name, store: store, options: options)
        return try await stage.intercept(request, next: Next(to: server))
    }

    @Test("An upload is created and sent, and the response is that of the last request")
    func tus() async throws {
        let server = UploadServer(.tus)
        let metadata = ["filename": "plan.png", "filetype": "image/png", "draft": ""]
        let response = try await send(request(nil, ResumableUpload(metadata: metadata)), to: server)
        #expect(response.status == .noContent)
        #expect(response.headers[.location] == "https://example.com/uploads/0")
        #expect(response.upload?.isComplete == true && response.upload?.attempts == 0)
        #expect(server.methods == ["POST", "PATCH"] && server.content == bytes)
        let creation = try #require(server.seen.requests.first).headerFields
        #expect(creation[field("Upload-Length")] == "40" && creation[field("Tus-Resumable")] == "1.0.0")
        #expect(creation[field("Upload-Metadata")] == "draft,filename cGxhbi5wbmc=,filetype aW1hZ2UvcG5n")
        #expect(creation[.contentType] == nil)
    }

    @Test("A call that is not marked passes untouched, unless content of its size is selected")
    func selection() async throws {
        let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(.post(url, body: HTTPBody(bytes)))
        #expect(outcome.requests.map(\.url) == [url] && outcome.requests.first?.body.bytes == bytes)
        let stage = ResumableUploadMiddleware(.tus, options: ResumableUploadOptions(selection: .from(40)))
        for (body, count) in [
            (HTTPBody(bytes), 2), (HTTPBody(bytes.dropLast()), 1),
            (.chunks([String(repeating: "a", count: 50)], length: 50), 1),
        ] {
            let server = UploadServer(.tus)
            var plain = Request.post(url, body: body)
            plain.environment = .virtual(.automatic())
            _ = try await stage.intercept(plain, next: Next(to: server))
            #expect(server.methods.count == count)
        }
    }

    @Test("A marked request that cannot be an upload is an error that says why")
    func impossible() async throws {
        let cases: [(Request, UploadError.Problem)] = [
            (Request.delete(url, body: "a"), .method(.delete)),
            (Request.post(url, body: .chunks(["a"], length: 1)), .notReplayable),
            (Request.post(url, body: .chunks(["a"], replayable: true)), .unknownLength),
            (Request.post("/files", body: "a"), .noOrigin),
            (Request.post(url, headers: [.contentEncoding: "gzip"], body: "a"), .contentEncoding("gzip")),
        ]
        for (request, problem) in cases {
            let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(
                request.resumableUpload(),
                answering: []
            )
            #expect((outcome.error as? UploadError)?.problem == problem)
        }
        let wrong = ResumableUpload(metadata: ["two words": "a"])
        let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(request(nil, wrong), answering: [])
        #expect((outcome.error as? UploadError)?.problem == .invalidMetadata(key: "two words"))
    }

    @Test("Content in a coding is no upload over tus, which has no field for it; the draft sends the field along")
    func coding() async throws {
        let coded = Request.post(url, headers: [.contentEncoding: "gzip"], body: HTTPBody(bytes))
        let options = ResumableUploadOptions(selection: .from(.bytes(1)))
        let outcome = await StageHarness(ResumableUploadMiddleware(.tus, options: options)).send(coded, answering: .ok)
        #expect(outcome.requests.map(\.headers[.contentEncoding]) == ["gzip"], "it passes as it is")
        let server = UploadServer(.draft)
        let stage = ResumableUploadMiddleware(.draft)
        _ = try await stage.intercept(coded.resumableUpload(), next: Next(to: server))
        #expect(server.seen.requests.first?.headerFields[.contentEncoding] == "gzip")
        #expect(server.content == bytes)
    }

    @Test("The content is whole wherever the connection is lost", arguments: [nil, 7] as [ByteCount?])
    func everyByte(partSize: ByteCount?) async throws {
        for cut in 0...Int64(partSize?.bytes ?? 40) {
            for number in 1...2 {
                let server = UploadServer(.tus, faults: [number: .cut(after: cut)])
                let options = ResumableUploadOptions(partSize: partSize)
                let response = try await send(request(), to: server, options: options)
                #expect(response.upload?.isComplete == true, "\(cut) of request \(number)")
                #expect(server.content == bytes && server.seen.created == 1, "\(cut) of request \(number)")
            }
        }
    }

    @Test("The content is whole whichever answer is lost")
    func everyAnswer() async throws {
        for number in 0..<8 {
            let server = UploadServer(.tus, faults: [number: .lostAnswer])
            let response = try await send(request(), to: server, options: ResumableUploadOptions(partSize: 10))
            #expect(response.upload?.isComplete == true)
            let uploads = server.seen.uploads.values.filter(\.isComplete)
            #expect(uploads.map(\.bytes) == [bytes], "\(number)")
        }
    }

    @Test("An upload that its creation completes is made once by POST, and made again by PUT, whatever is lost")
    func createdWhole() async throws {
        let options = ResumableUploadOptions(createsWithContent: true)
        for (fault, result) in [
            (UploadServer.Fault.lostAnswer, nil), (.answer(504), 504), (.answer(503), 503),
        ] as [(UploadServer.Fault, Int?)] {
            let server = UploadServer(.tus, faults: [0: fault])
            if let result {
                #expect(try await send(request(), to: server, options: options).status.code == result)
            } else {
                let error = await #expect(throws: UploadError.self) {
                    try await send(request(), to: server, options: options)
                }
                #expect(error?.problem == .outcomeUnknown && error?.networkFailure == nil)
            }
            #expect(server.methods == ["POST"])
            var put = request()
            put.method = .put
            let again = UploadServer(.tus, faults: [0: fault])
            #expect(try await send(put, to: again, options: options).upload?.isComplete == true)
            #expect(again.methods == ["POST", "POST"])
        }
        let refusing = UploadServer(.tus, faults: [0: .answer(503, [.retryAfter: "2"])])
        #expect(try await send(request(), to: refusing, options: options).upload?.isComplete == true)
    }

    @Test(
        "An upload whose end is unknown, and of which nothing is kept, ends in an error that no retry outside repeats"
    )
    func nothingKept() async throws {
        let endless = Dictionary(
            uniqueKeysWithValues: (2..<40).map { ($0, UploadServer.Fault.answer(503, [.retryAfter: "1"])) }
        )
        let server = UploadServer(.tus, faults: endless.merging([1: .lostAnswer]) { $1 })
        let unnamed = HTTPBody.pieces(bytes, of: 11, length: 40, replayable: true)
        let error = await #expect(throws: UploadError.self) { try await send(request(unnamed), to: server) }
        #expect(error?.problem == .outcomeUnknown && error?.networkFailure == nil)
        let kept = UploadServer(.tus, faults: endless.merging([1: .lostAnswer]) { $1 })
        #expect(try await send(request(), to: kept).status == .serviceUnavailable, "the same call goes on with it")
    }

    @Test("Bytes, files, ranges of files and streams are uploaded alike")
    func bodies() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("film", bytes)
        let longer = try scratch.file("longer", Data([1, 2, 3]) + bytes + Data([4]))
        let bodies: [HTTPBody] = [
            .file(file), .file(longer, range: 3..<43), .pieces(bytes, of: 11, length: 40, replayable: true),
        ]
        for body in bodies {
            let server = UploadServer(.tus, faults: [2: .cut(after: 5)])
            _ = try await send(request(body), to: server, options: ResumableUploadOptions(partSize: 9))
            #expect(server.content == bytes)
        }
        let empty = UploadServer(.tus)
        #expect(try await send(request(.empty), to: empty).status == .created)
        #expect(empty.methods == ["POST"])
    }

    @Test("A file that changes between parts is an error, and not two files in one")
    func changedFile() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("film", bytes)
        let server = UploadServer(.tus)
        let stage = ResumableUploadMiddleware(.tus, options: ResumableUploadOptions(partSize: 10))
        let next = Next(
            to: ChangingTransport(server) { number in
                if number == 2 { try Data("other content, and a longer one than before".utf8).write(to: file) }
            }
        )
        let error = await #expect(throws: UploadError.self) {
            try await stage.intercept(request(.file(file)), next: next)
        }
        #expect(error?.problem == .contentChanged)
    }

    @Test("The same call goes on where one that was given up had come to")
    func laterCall() async throws {
        let store = MemoryUploadStore()
        let faults = Dictionary(uniqueKeysWithValues: (2..<20).map { ($0, UploadServer.Fault.cut(after: 0)) })
        let server = UploadServer(.tus, faults: faults)
        let options = ResumableUploadOptions(partSize: 30)
        let error = await #expect(throws: UploadError.self) {
            try await send(request(), to: server, store: store, options: options)
        }
        #expect(error?.problem == .interrupted(offset: 30, length: 40) && store.count == 1)
        #expect(error?.networkFailure?.sent == .maybe && error?.isBeforeSending == false)
        #expect(error?.resumes == true, "a retry outside may send it again")
        server.change { $0.faults = [:] }
        let response = try await send(request(), to: server, store: store, options: options)
        #expect(response.upload?.resumedAt == 30 && server.seen.created == 1 && server.content == bytes)
        #expect(store.count == 0)
        _ = try await send(request(HTTPBody(bytes.dropLast())), to: server, store: store)
        #expect(server.seen.created == 2, "another content is another upload")
    }

    @Test("An upload whose time at the server is over is begun anew, without asking for it")
    func expired() async throws {
        let store = MemoryUploadStore()
        let clock = VirtualClock.automatic()
        var request = request()
        request.environment = .virtual(clock)
        let server = UploadServer(.tus, faults: [1: .answer(401)]) {
            $0.fields[field("Upload-Expires")] = "Sun, 06 Nov 1994 08:50:37 GMT"
        }
        #expect(try await send(request, to: server, store: store).status == .unauthorized)
        #expect(store.count == 1)
        clock.advance(by: .seconds(61))
        server.change { $0.faults = [:] }
        #expect(try await send(request, to: server, store: store).upload?.resumedAt == 0)
        #expect(server.methods == ["POST", "PATCH", "POST", "PATCH"])
    }

    @Test("Limits are asked for first where that is wanted, by the one request that has no version")
    func limits() async throws {
        let server = UploadServer(.tus) { $0.fields[field("Tus-Max-Size")] = "39" }
        let options = ResumableUploadOptions(asksForLimits: true)
        let error = await #expect(throws: UploadError.self) { try await send(request(), to: server, options: options) }
        #expect(error?.problem == .tooLarge(length: 40, limit: 39))
        #expect(server.methods == ["OPTIONS"] && server.seen.requests[0].headerFields[field("Tus-Resumable")] == nil)
    }

    @Test("The URL of an upload stands in no description")
    func secrecy() async throws {
        let response = try await send(request(), to: UploadServer(.tus) { $0.location = "/uploads/capability-" })
        let summary = try #require(response.upload)
        #expect(summary.url.revealed.hasSuffix("capability-0") && !"\(summary)".contains("capability"))
        let kept = StoredUpload(url: summary.url, offset: 0, length: 1, created: Date())
        #expect(!"\(kept)".contains("capability"))
    }

    @Test("What the server has against an upload is the answer, and the next call begins anew")
    func refused() async throws {
        let store = MemoryUploadStore()
        let server = UploadServer(.tus, faults: [1: .answer(400)])
        #expect(try await send(request(), to: server, store: store).status == .badRequest)
        #expect(store.count == 0)
        #expect(try await send(request(), to: server, store: store).upload?.isComplete == true)
        #expect(server.seen.created == 2)
    }

    @Test("An offset that never fits is an error, and no answer")
    func neverFits() async throws {
        let faults = Dictionary(uniqueKeysWithValues: (1..<40).map { ($0 * 2 - 1, UploadServer.Fault.answer(409)) })
        let server = UploadServer(.tus, faults: faults)
        let error = await #expect(throws: UploadError.self) { try await send(request(), to: server) }
        #expect(error?.problem == .interrupted(offset: 0, length: 40))
        #expect(error?.exchange?.response?.status == .conflict)
    }

    @Test("Redirects of an upload's own URL are left to the stage")
    func withoutRedirects() async throws {
        let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(
            request(),
            answering: .status(.created, headers: [.location: "/uploads/1"]),
            .status(.noContent, headers: [field("Upload-Offset"): "40"])
        )
        #expect(outcome.requests.map { $0.options[NoRedirectsNote.self] } == [false, true])
    }

    @Test("Uploads of users whom nobody can tell apart are not kept")
    func users() async throws {
        let store = MemoryUploadStore()
        let server = UploadServer(.tus, faults: [1: .answer(401)])
        var signed = request()
        signed.headers[.authorization] = "Bearer a"
        #expect(try await send(signed, to: server, store: store).status == .unauthorized)
        #expect(store.count == 0)
        server.change { $0.faults = [3: .answer(401)] }
        _ = try await send(request(), to: server, store: store)
        #expect(store.count == 1)
    }

    /// Sends an upload in parts for a user, after whom another logs in while the numbered request is in flight.
    private func send(
        to server: UploadServer,
        for user: Locked<String>,
        switchingAt number: Int?,
        store: any UploadStore
    ) async throws -> Response {
        let options = ResumableUploadOptions(partSize: 10)
        let partition = UserPartition.by { (_: Request) -> String? in user.withLock { $0 } }
        let stage = ResumableUploadMiddleware(.tus, store: store, partition: partition, options: options)
        let transport = ChangingTransport(server) { sent in
            if sent == number { user.withLock { $0 = "bob" } }
        }
        return try await stage.intercept(request(), next: Next(to: transport))
    }

    @Test("An upload that is created after another user has logged in isn't stored, and gets no content")
    func userChangedDuringCreation() async throws {
        let (store, server) = (MemoryUploadStore(), UploadServer(.tus))
        let user = Locked("alice")
        let error = await #expect(throws: UploadError.self) {
            try await send(to: server, for: user, switchingAt: 0, store: store)
        }
        #expect(error?.problem == .userChanged && error?.networkFailure == nil)
        #expect(server.methods == ["POST"] && store.count == 0)
    }

    @Test("A user's upload isn't continued after another has logged in, and resumes when the first one is back")
    func userChangedBetweenParts() async throws {
        let (store, server) = (MemoryUploadStore(), UploadServer(.tus))
        let user = Locked("alice")
        let error = await #expect(throws: UploadError.self) {
            try await send(to: server, for: user, switchingAt: 2, store: store)
        }
        #expect(error?.problem == .userChanged)
        #expect(server.methods == ["POST", "PATCH", "PATCH"] && store.count == 1)
        user.withLock { $0 = "alice" }
        let response = try await send(to: server, for: user, switchingAt: nil, store: store)
        #expect(response.upload?.isComplete == true && server.seen.created == 1 && server.content == bytes)
    }

    @Test("An upload that is complete is the first user's result, even if another has logged in")
    func userChangedAtEnd() async throws {
        let (store, server) = (MemoryUploadStore(), UploadServer(.tus))
        let response = try await send(to: server, for: Locked("alice"), switchingAt: 4, store: store)
        #expect(response.upload?.isComplete == true && store.count == 0)
    }

    @Test("The server's waits are kept, and none beyond the limit")
    func retryAfter() async throws {
        let server = UploadServer(.tus, faults: [1: .answer(503, [.retryAfter: "7"])])
        var request = request()
        let clock = VirtualClock.automatic()
        request.environment = .virtual(clock)
        _ = try await send(request, to: server)
        #expect(clock.elapsed == .seconds(7) && server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        let busy = UploadServer(.tus, faults: [1: .answer(503, [.retryAfter: "70"])])
        #expect(try await send(self.request(), to: busy).status == .serviceUnavailable)
    }

    @Test("An upload is on the origin of its request, unless another is allowed; credentials stay")
    func origins() async throws {
        let elsewhere = "https://store.example.net/uploads/"
        let server = UploadServer(.tus) { $0.location = elsewhere }
        let other = try #require(Origin(elsewhere))
        let error = await #expect(throws: UploadError.self) { try await send(request(), to: server) }
        #expect(error?.problem == .foreignLocation(other))
        server.change { $0.location = "https://store.example.net/uploads/" }
        var signed = request()
        signed.headers[.authorization] = "Bearer a"
        signed.headers[.userAgent] = "Test"
        signed.headers[field("X-Api-Key")] = "b"
        signed.headers[field("X-Bound")] = "c"
        signed.bindFields([field("X-Bound")], to: try #require(signed.origin))
        let outcome = await StageHarness(
            ResumableUploadMiddleware(.tus, options: ResumableUploadOptions(otherOrigins: [other]))
        ).send(
            signed,
            answering: .status(.created, headers: [.location: elsewhere + "1"]),
            .status(.noContent, headers: [field("Upload-Offset"): "40"])
        )
        #expect(outcome.requests.map(\.headers[.authorization]) == ["Bearer a", nil])
        #expect(outcome.requests.map(\.headers[.userAgent]) == ["Test", "Test"])
        #expect(outcome.requests.map(\.headers[field("X-Api-Key")]) == ["b", nil])
        #expect(outcome.requests.map(\.headers[field("X-Bound")]) == ["c", nil])
        #expect(outcome.requests.last?.url == elsewhere + "1")
    }

    @Test(
        "A location is resolved against the URL that it came from",
        arguments: [
            ("abc?x=1#y", "https://example.com/abc?x=1"), ("../a", "https://example.com/a"),
            ("//example.com/b", "https://example.com/b"), ("/files/{x}", "https://example.com/files/%7Bx%7D"),
            ("/a b|\\c%", "https://example.com/a%20b%7C/c%25"), (" /d\t", "https://example.com/d"),
        ]
    )
    func location(text: String, resolved: String) async throws {
        let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(
            request(),
            answering: .status(.created, headers: [.location: text]),
            .status(.noContent, headers: [field("Upload-Offset"): "40"])
        )
        #expect(outcome.requests.last?.url == resolved)
    }

    @Test(
        "A location that is no URL of HTTP, or names a user, is refused",
        arguments: [
            "ftp://example.com/a", "https://user@example.com/a", "https:///a",
            "https://example.com/" + String(repeating: "a", count: 9000),
        ]
    )
    func unusableLocation(text: String) async throws {
        let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(
            request(),
            answering: .status(.created, headers: [.location: text])
        )
        #expect((outcome.error as? UploadError)?.problem == .unusableLocation)
    }

    @Test("An upload without a location, or with an empty one, was not created", arguments: [nil, "", " "])
    func missingLocation(text: String?) async throws {
        let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(
            request(),
            answering: .status(.created, headers: text.map { [.location: $0] } ?? [:])
        )
        #expect((outcome.error as? UploadError)?.problem == .notCreated(status: 201))
        #expect(outcome.requests.count == 1)
    }

    @Test("Several different locations are refused, and the same one repeated counts")
    func severalLocations() async throws {
        for (second, isUsable) in [("/a", true), ("/b", false)] {
            var headers: HTTPFields = [.location: "/a"]
            headers.append(HTTPField(name: .location, value: second))
            let outcome = await StageHarness(ResumableUploadMiddleware(.tus)).send(
                request(),
                answering: .status(.created, headers: headers),
                .status(.noContent, headers: [field("Upload-Offset"): "40"])
            )
            #expect((outcome.error as? UploadError)?.problem == (isUsable ? nil : .unusableLocation))
            #expect(outcome.requests.last?.url == (isUsable ? "https://example.com/a" : request().url))
        }
    }

    @Test("Whatever a server answers, a call ends, and sends nothing but its content in its place", .seeded)
    func anything() async throws {
        let random = Seed.numbers()
        for round in 0..<400 {
            let server = AnyAnswers(random, bytes)
            let stage = ResumableUploadMiddleware(
                round.isMultiple(of: 2) ? .tus : .draft,
                options: ResumableUploadOptions(partSize: 16, createsWithContent: round.isMultiple(of: 3))
            )
            do {
                let response = try await stage.intercept(request(), next: Next(to: server))
                #expect(response.upload?.isComplete != true || response.upload?.url.revealed.isEmpty == false)
            } catch {
                #expect(error is UploadError, "\(error)")
            }
            #expect(server.problem == nil, "round \(round)")
            #expect(server.count < 500, "round \(round)")
        }
    }

    @Test("Requests of the upload have the fields of the sender, and none of the content or of conditions")
    func fields() async throws {
        var request = request()
        request.headers[.contentLanguage] = "de"
        request.headers[.ifNoneMatch] = "*"
        request.headers[field("Content-Digest")] = "sha-256=:AA==:"
        request.headers[field("Repr-Digest")] = "sha-256=:AA==:"
        request.headers[.userAgent] = "Test"
        let server = UploadServer(.tus)
        _ = try await send(request, to: server)
        for sent in server.seen.requests {
            #expect(sent.headerFields[.userAgent] == "Test")
            for name in [.contentLanguage, .ifNoneMatch, field("Content-Digest"), field("Repr-Digest")] {
                #expect(!sent.headerFields.contains(name), "\(name)")
            }
        }
    }

    @Test("Each part has its checksum where that is wanted")
    func checksum() async throws {
        let server = UploadServer(.tus)
        let options = ResumableUploadOptions(partSize: 39, checksum: .sha1)
        _ = try await send(request(HTTPBody(Data(repeating: 0x61, count: 40))), to: server, options: options)
        let sums = server.seen.requests.map { $0.headerFields[field("Upload-Checksum")] }
        #expect(sums.count == 3 && sums[0] == nil)
        // The SHA-1 of "a", in Base64.
        #expect(sums[2] == "sha1 hvfkN/qlp/zhXR3cuerq6jd2Z7g=")
    }

    @Test(
        "A call that is cancelled leaves the upload, or has the server remove it",
        arguments: [
            ResumableUploadOptions.Cancellation.keeps, .terminates,
        ]
    )
    func cancellation(cancellation: ResumableUploadOptions.Cancellation) async throws {
        let store = MemoryUploadStore()
        let server = UploadServer(.tus)
        let began = Counter()
        let stage = ResumableUploadMiddleware(.tus, store: store, options: ResumableUploadOptions(partSize: 10))
        let next = Next(
            to: ChangingTransport(server) { number in
                guard number == 2 else { return }
                began.add()
                try await Task.sleep(for: .seconds(3600))
            }
        )
        let upload = ResumableUpload(cancellation: cancellation)
        let call = Task { [request = request(nil, upload)] in try await stage.intercept(request, next: next) }
        try await began.wait(until: 1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(server.methods == ["POST", "PATCH"] + (cancellation == .terminates ? ["DELETE"] : []))
        #expect(server.seen.uploads.count == (cancellation == .terminates ? 0 : 1))
        #expect(store.count == (cancellation == .terminates ? 0 : 1))
    }

    @Test("Parts become smaller where a proxy takes no larger ones")
    func reduction() async throws {
        let bytes = Data(repeating: 7, count: 300_000)
        let server = UploadServer(.tus) { $0.largestRequest = 100_000 }
        _ = try await send(request(HTTPBody(bytes)), to: server)
        #expect(server.content == bytes)
    }

    @Test("Of two calls with the same content at the same time, the second makes an upload of its own")
    func twice() async throws {
        let server = UploadServer(.tus)
        let gate = Counter()
        let stage = ResumableUploadMiddleware(.tus)
        let next = Next(
            to: ChangingTransport(server) { _ in
                gate.add()
                try await gate.wait(until: 2)
            }
        )
        async let one = stage.intercept(request(), next: next)
        async let two = stage.intercept(request(), next: next)
        let urls = try await [one, two].map { $0.upload?.url.revealed }
        #expect(Set(urls).count == 2 && server.seen.created == 2)
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .exactlyOnce) { ResumableUploadMiddleware(.tus) }.verify(check)
        for name in [UploadProtocol.tus, .draft] {
            try await StageConformance(
                calls: .any,
                request: { StageConformance.defaultRequest.resumableUpload() },
                answers: {
                    [
                        .status(.created, headers: [.location: "/uploads/1"], body: "created"),
                        .status(
                            .ok,
                            headers: [
                                field("Upload-Offset"): "13",
                                field("Upload-Complete"): "?1",
                            ],
                            body: "complete"
                        ),
                    ]
                }
            ) { ResumableUploadMiddleware(name) }.verify(check)
        }
    }
}

/// Does something before each request, given its number from 0.
struct ChangingTransport: Transport {
    let inner: UploadServer
    let before: @Sendable (Int) async throws -> Void
    private let count = Counter()

    init(_ inner: UploadServer, _ before: @escaping @Sendable (Int) async throws -> Void) {
        self.inner = inner
        self.before = before
    }

    var capabilities: TransportCapabilities { inner.capabilities }

    func send(_ request: consuming Request) async throws -> Response {
        try await before(count.add() - 1)
        return try await inner.send(request)
    }
}
#endif
