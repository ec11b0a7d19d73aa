#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainResumableUpload

@Suite("The store of uploads in files", .timeLimit(.minutes(10)))
struct FileUploadStoreTests {
    private let scratch = ScratchDirectory()
    private let clock = VirtualClock(start: Date(timeIntervalSince1970: 1_700_000_000))

    private func store(limit: Int = 10, access: FileAccess = .standard) -> FileUploadStore {
        FileUploadStore(directory: scratch.url, limit: limit, age: .seconds(60), time: clock, access: access)
    }

    private func upload(_ number: Int) -> StoredUpload {
        StoredUpload(
            url: Secret("https://example.com/uploads/\(number)"),
            offset: Int64(number),
            length: 100,
            created: clock.date,
            expires: clock.date.addingTimeInterval(5)
        )
    }

    private func key(_ name: String) async throws -> UploadKey {
        let request = Request.post("https://example.com/files", body: "content")
        return try #require(
            await UploadKey(
                request,
                UploadContent(request.body),
                over: .tus,
                described: ResumableUpload(identity: name),
                owner: UploadOwner(of: request, in: .none)
            )
        )
    }

    @Test("What is kept is there in another store of the directory, until it is forgotten")
    func keeping() async throws {
        let key = try await key("a")
        #expect(try await store().upload(for: key) == nil)
        try await store().forget(key)
        try await store().keep(upload(1), for: key)
        try await store().keep(upload(2), for: key)
        #expect(try await store().upload(for: key) == upload(2))
        #expect(scratch.names == ["\(key).upload"])
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file("\(key).upload").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await store().forget(key)
        #expect(scratch.names.isEmpty)
    }

    @Test("Of too many uploads the oldest go, and those that are too old")
    func limits() async throws {
        var keys: [UploadKey] = []
        for number in 0..<5 {
            keys.append(try await key("\(number)"))
            try await store(limit: 3).keep(upload(number), for: keys[number])
            // The order is that of the files' times, which a fast disk does not tell apart.
            let date = Date(timeIntervalSinceNow: Double(number - 100))
            let file = scratch.file("\(keys[number]).upload").path
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        }
        #expect(scratch.names == keys[2...].map { "\($0).upload" }.sorted())
        clock.advance(by: .seconds(61))
        #expect(try await store().upload(for: keys[4]) == nil)
        let new = try await key("new")
        try await store().keep(upload(9), for: new)
        #expect(scratch.names == ["\(new).upload"])
    }

    @Test("What a process that was killed has left goes, once it is old; other files stay")
    func leftOvers() async throws {
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        try scratch.file("old.upload.1.new", Data())
        try scratch.file("young.upload.1.new", Data())
        try scratch.file("other", Data())
        let old = scratch.file("old.upload.1.new").path
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -4000)], ofItemAtPath: old)
        let key = try await key("a")
        try await store().keep(upload(1), for: key)
        #expect(scratch.names == ["\(key).upload", "other", "young.upload.1.new"].sorted())
    }

    @Test("A file with a time that nanoseconds can't express doesn't end the process", arguments: [1600, 2265, 2400])
    func distantTimes(year: Int) async throws {
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        let date = Date(timeIntervalSince1970: Double(year - 1970) * 31_556_952)
        for name in ["old.upload.1.new", "old.upload"] {
            let file = scratch.file(name)
            try Data().write(to: file)
            // Not every file system has such times.
            try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
        }
        let key = try await key("a")
        try await store().keep(upload(1), for: key)
        #expect(scratch.names.contains("\(key).upload"))
    }

    @Test("A file that is damaged counts as none, and one that others can read is an error")
    func damaged() async throws {
        let key = try await key("a")
        try await store().keep(upload(1), for: key)
        let file = scratch.file("\(key).upload")
        let whole = try Data(contentsOf: file)
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(try await store().upload(for: key) == nil, "\(length)")
        }
        for text in [
            #"{"version":2,"url":"https://a.example/","offset":0,"length":1,"created":0}"#,
            #"{"version":1,"url":"file:///etc","offset":0,"length":1,"created":0}"#,
            #"{"version":1,"url":"https://a.example/","offset":-1,"length":1,"created":0}"#,
            #"{"version":1,"url":"https://a.example/","offset":2,"length":1,"created":0}"#,
        ] {
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(try await store().upload(for: key) == nil, "\(text)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let error = await #expect(throws: UploadError.self) { try await store().upload(for: key) }
        #expect(error?.problem == .readableByOthers(path: file.path, mode: 0o644))
    }

    @Test("After a loss of power the store has what was reported as kept, or what came after it, whole", .seeded)
    func power() async throws {
        let disk = MemoryDisk(directories: ["/uploads"])
        let key = try await key("a")
        func store(_ disk: MemoryDisk) -> FileUploadStore {
            let directory = URL(fileURLWithPath: "/uploads/store")
            let access = FileAccess(system: disk)
            return FileUploadStore(directory: directory, limit: 2, age: .seconds(60), time: clock, access: access)
        }
        var steps: [DiskStep<Int64>] = []
        for number in 1...5 {
            let start = disk.count
            try await store(disk).keep(upload(number), for: key)
            steps.append(DiskStep(Int64(number), start..<disk.count))
        }
        let problem = try await disk.history.firstProblem(images: 30, Seed.numbers()) { [steps] left, count in
            let reported = steps.last { $0.isReported(after: count) }?.fact ?? 0
            let begun = steps.last { $0.hasBegun(after: count) }?.fact ?? 0
            let found = try await store(left).upload(for: key)?.offset ?? 0
            guard (reported...begun).contains(found) else { return "\(found), not \(reported) to \(begun)" }
            try await store(left).keep(upload(9), for: key)
            return try await store(left).upload(for: key) == upload(9) ? nil : "it cannot be changed any more"
        }
        #expect(problem == nil)
    }

    @Test(
        "A disk that fails at any operation leaves the old upload or the new one",
        arguments: FaultyFiles.Fault.allCases
    )
    func faults(fault: FaultyFiles.Fault) async throws {
        let key = try await key("a")
        var isReached = true
        var operation = 0
        while isReached {
            let disk = MemoryDisk(directories: ["/uploads"])
            let files = FaultyFiles(disk)
            let directory = URL(fileURLWithPath: "/uploads/store")
            func store(_ system: any FileSystem) -> FileUploadStore {
                let access = FileAccess(system: system)
                return FileUploadStore(directory: directory, limit: 2, age: .seconds(60), time: clock, access: access)
            }
            try await store(disk).keep(upload(1), for: key)
            files.fail(at: operation, fault)
            let result = await Result { try await store(files).keep(upload(2), for: key) }
            isReached = files.count > operation
            let found = try await store(disk).upload(for: key)
            if case .success = result { #expect(found == upload(2), "\(operation)") }
            #expect(found == upload(1) || found == upload(2), "\(operation)")
            operation += 1
        }
        #expect(operation > 5)
    }

    @Test("Two keys are the same for the same call alone")
    func keys() async throws {
        func key(
            _ request: Request,
            _ upload: ResumableUpload = ResumableUpload(),
            _ name: UploadProtocol = .tus,
            _ partition: UserPartition = .none
        ) async throws -> String? {
            let content = try await UploadContent(request.body)
            let owner = try await UploadOwner(of: request, in: partition)
            return try await UploadKey(request, content, over: name, described: upload, owner: owner)?.description
        }
        let request = Request.post("https://example.com/files", body: "content")
        var other = request
        other.headers[.contentType] = "text/plain"
        var marked = request
        marked.headers[.userAgent] = "Test"
        let keys = [
            try await key(request), try await key(.put("https://example.com/files", body: "content")),
            try await key(.post("https://example.com/file", body: "content")),
            try await key(.post("https://example.com/files", body: "contents")), try await key(other),
            try await key(request, ResumableUpload(identity: "a")),
            try await key(request, ResumableUpload(metadata: ["a": "b"])),
            try await key(request, ResumableUpload(), .draft),
            try await key(request, ResumableUpload(), .tus, .by { _ in "Ada" }),
        ]
        #expect(Set(keys).count == keys.count && keys.allSatisfy { $0?.count == 64 })
        #expect(try await key(marked) == keys[0])
        let stream = Request.post("https://example.com/files", body: .chunks(["a"], length: 1, replayable: true))
        #expect(try await key(stream) == nil)
        var signed = request
        signed.headers[.authorization] = "Bearer a"
        #expect(try await key(signed) == nil)
    }

    @Test("A store that fails ends the upload with its error")
    func failing() async throws {
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        let file = try scratch.file("no directory", Data())
        let store = FileUploadStore(directory: file)
        let server = UploadServer(.tus)
        var request = Request.post("https://example.com/files", body: "content").resumableUpload()
        request.environment = .virtual(.automatic())
        let stage = ResumableUploadMiddleware(.tus, store: store)
        let error = await #expect(throws: UploadError.self) {
            try await stage.intercept(request, next: Next(to: server))
        }
        #expect(error?.stage == "FileUploadStore" && error?.reason.contains(file.path) == true)
    }

    @Test("Of uploads in memory, the one told of longest ago goes first")
    func memory() async throws {
        let store = MemoryUploadStore(limit: 2)
        let (a, b, c) = (try await key("a"), try await key("b"), try await key("c"))
        store.keep(upload(1), for: a)
        store.keep(upload(2), for: b)
        store.keep(upload(3), for: a)
        store.keep(upload(4), for: c)
        #expect(store.upload(for: a) == upload(3) && store.upload(for: b) == nil && store.upload(for: c) == upload(4))
        store.forget(a)
        #expect(store.count == 1)
    }
}

extension Result where Failure == any Error {
    /// What a call that waits comes to.
    fileprivate init(_ call: () async throws -> Success) async {
        do { self = .success(try await call()) } catch { self = .failure(error) }
    }
}
#endif
