import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("File work", .timeLimit(.minutes(10)))
struct FileExecutorTests {
    @Test("File work on a disk that stalls for more bodies than there are cores leaves other calls alone")
    func stalledDisk() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data(repeating: 7, count: 200_000))
        let stalled = ProcessInfo.processInfo.activeProcessorCount + 2
        let executor = FileExecutor(limit: stalled + 1)
        let disk = StallingFiles()
        let slow = FileAccess(system: disk, executor: executor)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<stalled {
                let out = scratch.url.appendingPathComponent("out-\(number)")
                group.addTask {
                    number.isMultiple(of: 2)
                        ? try await HTTPBody.file(file, access: slow).collect().count
                        : Int(try await HTTPBody(Data(count: 200_000)).save(to: out, access: slow))
                }
            }
            try await until("every stalled body to wait for its disk") { disk.waitingCount == stalled }
            // As many again on a disk that answers, and on the same threads.
            let healthy = FileAccess(executor: executor)
            for _ in 0..<2 * stalled {
                #expect(try await HTTPBody.file(file, access: healthy).collect().count == 200_000)
            }
            #expect(disk.waitingCount == stalled)
            disk.release()
            for try await count in group { #expect(count == 200_000) }
        }
    }

    @Test("File work of two transfers whose disk stalls leaves all others of a chain alone, on the threads they share")
    func stalledTransfers() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data(repeating: 7, count: 200_000))
        let disk = StallingFiles()
        let slow = FileAccess(system: disk, executor: .shared)
        let transport = InMemoryTransport { request in
            Response(.ok, body: HTTPBody(try await request.body.collect()))
        }
        let chain = try Chain(transport: transport) { Marker("a") }
        let destination = scratch.url.appendingPathComponent("stalled")
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                let response = try await chain.send(.post("http://h/up", body: .file(file, access: slow)))
                return try await response.body.collect().count
            }
            group.addTask {
                let response = try await chain.send(.post("http://h/down", body: .file(file)))
                return Int(try await response.body.save(to: destination, access: slow))
            }
            try await until("both transfers to wait for their disk") { disk.waitingCount == 2 }
            for number in 0..<50 {
                let response = try await chain.send(.post("http://h/\(number)", body: .file(file)))
                let out = scratch.url.appendingPathComponent("out-\(number)")
                #expect(try await response.body.save(to: out) == 200_000)
            }
            #expect(disk.waitingCount == 2, "they wait still")
            disk.release()
            for try await count in group { #expect(count == 200_000) }
        }
        #expect(transport.requestCount == 52)
    }

    @Test("File work that a disk stalls ends for its caller when the call is cancelled")
    func cancelled() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data("abc".utf8))
        let disk = StallingFiles()
        let slow = FileAccess(system: disk, executor: FileExecutor(limit: 1))
        let call = Task { try await HTTPBody.file(file, access: slow).collect() }
        try await until("the body to wait for its disk") { disk.waitingCount == 1 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        disk.release()
    }

    @Test("File work whose end has more of it done holds nothing up")
    func endOfAJob() async throws {
        /// The last reference to a temporary file does the same.
        final class Leaver: Sendable {
            let executor: FileExecutor
            let left: Counter

            init(_ executor: FileExecutor, _ left: Counter) {
                self.executor = executor
                self.left = left
            }

            deinit { executor.submit { [left] in left.add() } }
        }
        let executor = FileExecutor(limit: 1)
        let (left, gate) = (Counter(), DispatchSemaphore(value: 0))
        executor.submit { gate.wait() }
        for _ in 0..<100 {
            let leaver = Leaver(executor, left)
            executor.submit { withExtendedLifetime(leaver) {} }
        }
        gate.signal()
        try await left.wait(until: 100)
    }

    @Test("File work runs on as many threads as allowed, in order beyond that, and not at all when it is not wanted")
    func limit() async throws {
        let executor = FileExecutor(limit: 2, patience: .milliseconds(1))
        let running = Locked((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await executor.run {
                        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        defer { running.withLock { $0.now -= 1 } }
                        return number
                    }
                }
            }
            var sum = 0
            for try await number in group { sum += number }
            #expect(sum == 199 * 200 / 2)
        }
        #expect((1...2).contains(running.withLock { $0.most }))
        let isRun = Locked(false)
        let unwanted = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await executor.run { isRun.withLock { $0 = true } }
        }
        await #expect(throws: CancellationError.self) { try await unwanted.value }
        try await executor.run {}
        #expect(!isRun.withLock { $0 })
        // Threads that were idle have ended by now or end later; work finds one either way.
        for number in 0..<50 { #expect(await executor.runToEnd { number } == number) }
    }
}

@Suite("Files as bodies")
struct FileContentTests {
    @Test("A pipe, a directory and a device are refused at once", arguments: ["pipe", ".", "/dev/null"])
    func notRegular(name: String) async throws {
        let scratch = try ScratchDirectory.created()
        let place = name.hasPrefix("/") ? URL(fileURLWithPath: name) : scratch.url.appendingPathComponent(name)
        let url = place.standardizedFileURL
        if name == "pipe" { #expect(mkfifo(url.path, 0o600) == 0) }
        let body = HTTPBody.file(url)
        #expect(body.length == nil)
        #expect(!body.isEmpty)
        let error = await #expect(throws: BodyError.self) { try await body.collect() }
        #expect(error?.problem == .notARegularFile(path: url.path))
    }

    #if os(Linux)
    @Test("A file of /proc, which says that it is empty, is read to its end")
    func unsized() async throws {
        let body = HTTPBody.file(URL(fileURLWithPath: "/proc/self/status"))
        #expect(body.length == nil)
        #expect(!body.isEmpty)
        #expect(try await body.text().contains("VmRSS"))
    }
    #endif

    @Test("A chain asks for the size of a file once, and sends no file that has another one by then")
    func measured() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data("hello".utf8))
        let changes = Locked(false)
        let chain = try Chain(
            transport: ClosureTransport { request in
                #expect(!request.body.isUnmeasuredFile)
                if changes.withLock({ $0 }) { try Data("hello, and more".utf8).write(to: file) }
                #expect(request.body.length == 5)
                #expect(try await request.body.text() == "hello")
                return Response(.ok)
            }
        )
        _ = try await chain.send(.post("http://h/", body: .file(file)))
        changes.withLock { $0 = true }
        await #expect(throws: BodyError(.fileChanged(path: file.path))) {
            try await chain.send(.post("http://h/", body: .file(file)))
        }
    }

    @Test("A slice of bytes has indices that begin at 0")
    func slice() {
        let slice = Data("hello".utf8)[2...]
        #expect(HTTPBody(slice).bytes?.startIndex == 0)
        #expect(HTTPBody(slice).bytes == Data("llo".utf8))
    }

    @Test("A saved file has the permissions of a new file there, or of the one that it replaces")
    func permissions() async throws {
        let scratch = try ScratchDirectory.created()
        let plain = scratch.url.appendingPathComponent("plain")
        let descriptor = open(plain.path, O_CREAT | O_WRONLY, 0o666)
        close(descriptor)
        let saved = scratch.url.appendingPathComponent("saved")
        try await HTTPBody("abc").save(to: saved)
        #expect(try Self.permissions(saved) == Self.permissions(plain))
        let moved = scratch.url.appendingPathComponent("moved")
        try await HTTPBody("abc").saveToTemporaryFile().move(to: moved)
        #expect(try Self.permissions(moved) == Self.permissions(plain))
        #expect(chmod(saved.path, 0o640) == 0)
        try await HTTPBody("abcdef").save(to: saved)
        #expect(try Self.permissions(saved) == 0o640)
        #expect(scratch.names == ["moved", "plain", "saved"])
    }

    @Test("A saved body never replaces a pipe or a directory, even behind a link", arguments: ["pipe", "folder"])
    func notReplaced(name: String) async throws {
        let scratch = try ScratchDirectory.created()
        let place = scratch.url.appendingPathComponent(name)
        let link = scratch.url.appendingPathComponent("link")
        if name == "pipe" {
            #expect(mkfifo(place.path, 0o600) == 0)
        } else {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: name)
        for destination in [place, link] {
            // Nothing is read from the body, so it can be saved elsewhere.
            let body = HTTPBody.once(chunks: AsyncStream<Data> { $0.finish() })
            let refusal = BodyError(.notARegularFile(path: place.path))
            await #expect(throws: refusal) { try await body.save(to: destination) }
            #expect(try await body.collect().isEmpty)
            let file = try await HTTPBody("abc").saveToTemporaryFile()
            await #expect(throws: refusal) { try await file.move(to: destination) }
            #expect(try await file.body.text() == "abc")
        }
        #expect(scratch.names == ["link", name].sorted())
        let type = try FileManager.default.attributesOfItem(atPath: place.path)[.type] as? FileAttributeType
        #expect(type != .typeRegular)
    }

    @Test("A saved body is written to the file that a symbolic link leads to, and the link stays")
    func links() async throws {
        let scratch = try ScratchDirectory.created()
        let folder = scratch.url.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let link = scratch.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "folder/second")
        let second = folder.appendingPathComponent("second")
        try FileManager.default.createSymbolicLink(atPath: second.path, withDestinationPath: "../target")
        let target = scratch.url.appendingPathComponent("target")
        // The target is missing at first.
        for text in ["abc", "abcdef"] {
            try await HTTPBody(text).save(to: link)
            #expect(try String(contentsOf: target, encoding: .utf8) == text)
        }
        try await HTTPBody("moved").saveToTemporaryFile().move(to: second)
        #expect(try String(contentsOf: target, encoding: .utf8) == "moved")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "folder/second")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: second.path) == "../target")
        #expect(scratch.names == ["folder", "link", "target"])
        let loop = scratch.url.appendingPathComponent("loop")
        try FileManager.default.createSymbolicLink(atPath: loop.path, withDestinationPath: "loop")
        await #expect(throws: BodyError(.notARegularFile(path: loop.path))) { try await HTTPBody("a").save(to: loop) }
    }

    private static func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
}
