#if AllTests
import Foundation
import HTTPChainCacheEncrypted
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("Hits on files that the system has in memory", .timeLimit(.minutes(10)))
struct ImmediateFilesTests {
    private let directory = ScratchDirectory()

    /// A body beside its description, one as long as that allows, and one in a file of its own.
    private static let lengths = [1: 10, 2: 12_000, 3: 65_536, 4: 300_000]

    private func filled(_ files: any FileSystem, _ executor: FileExecutor) async throws -> FileCacheStore {
        let store = FileCacheStore(path: directory.path, bounds: .ample, files: files, executor: executor)
        for (name, length) in Self.lengths { try await store.put(storeKey(name), content(name, length)) }
        return store
    }

    private func expectAll(in store: FileCacheStore, _ comment: Comment? = nil) async throws {
        for (name, length) in Self.lengths {
            #expect(try await store.bytes(storeKey(name)) == content(name, length), comment)
        }
    }

    @Test("A hit whose files are in memory waits for no thread, nor does a miss")
    func withoutThread() async throws {
        let files = ImmediateFiles()
        let executor = FileExecutor(limit: 1)
        let store = try await filled(files, executor)
        let gate = DispatchSemaphore(value: 0)
        executor.submit { gate.wait() }
        defer { gate.signal() }
        files.clear()
        try await expectAll(in: store)
        #expect(try await store.variants(of: storeKey("none")).isEmpty)
        let entry = try #require(try await store.variants(of: storeKey(4)).first)
        let part = try await store.body(of: entry, range: 70_000..<200_000)?.collect()
        #expect(part == content(4, 300_000)[70_000..<200_000])
        #expect(files.waited.isEmpty)
    }

    @Test("A hit on an entry that is encrypted over such files waits for no thread either")
    func encrypted() async throws {
        let files = ImmediateFiles()
        let executor = FileExecutor(limit: 1)
        let base = FileCacheStore(path: directory.path, bounds: .ample, files: files, executor: executor)
        let store = EncryptedCacheStore(over: base, key: .test)
        for (name, length) in Self.lengths { try await store.put(storeKey(name), content(name, length)) }
        let gate = DispatchSemaphore(value: 0)
        executor.submit { gate.wait() }
        defer { gate.signal() }
        for name in 1...2 {
            files.clear()
            #expect(try await store.bytes(storeKey(name)) == content(name, Self.lengths[name] ?? 0))
            #expect(files.seen == [.open, .read], "what was read with the description is decrypted")
        }
        for name in 3...4 {
            #expect(try await store.bytes(storeKey(name)) == content(name, Self.lengths[name] ?? 0))
        }
        #expect(files.waited.isEmpty)
    }

    @Test("A hit on a small entry opens and reads one file")
    func operations() async throws {
        let files = ImmediateFiles()
        let store = try await filled(files, FileExecutor(limit: 2))
        for name in 1...3 {
            files.clear()
            _ = try await store.bytes(storeKey(name))
            #expect(files.seen == [.open, .read])
        }
    }

    @Test("An entry that is read again is not opened again, until it is described anew, replaced or removed")
    func openedOnce() async throws {
        let files = ImmediateFiles()
        let store = try await filled(files, FileExecutor(limit: 2))
        _ = try await store.bytes(storeKey(1))
        files.clear()
        for _ in 0..<3 { #expect(try await store.bytes(storeKey(1)) == content(1, 10)) }
        #expect(files.seen == [.read, .read, .read])
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        _ = try await store.update(entry, to: storeMetadata(tag: "new"))
        files.clear()
        let updated = try #require(try await store.variants(of: storeKey(1)).first)
        #expect(updated.response.metadata.head.headerFields[.eTag] == "new")
        #expect(files.seen == [.open, .read])
        // Whoever cannot write down what it removes removes the file alone.
        try FileManager.default.removeItem(atPath: store.directory.entry(entry.id.rawValue))
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        #expect(!files.waited.isEmpty, "that it is gone is found out on a thread")
    }

    @Test("Few files stay open, and none of those that a removal may concern")
    func fewOpen() async throws {
        let store = try await filled(ImmediateFiles(), FileExecutor(limit: 2))
        for name in 10..<110 {
            try await store.put(storeKey(name), content(name, 10))
            #expect(try await store.bytes(storeKey(name)) == content(name, 10))
        }
        #expect((1...16).contains(store.opened.count))
        try await store.remove(.key(storeKey(10)))
        #expect(store.opened.count == 0)
    }

    @Test("What is removed while its open file is read is handed out once more, as it was")
    func goesWhileRead() async throws {
        let files = ImmediateFiles()
        let store = try await filled(files, FileExecutor(limit: 2))
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        let path = store.directory.entry(entry.id.rawValue)
        files.answer { _, _ in
            try? FileManager.default.removeItem(atPath: path)
            return .works
        }
        #expect(try await store.variants(of: storeKey(1)).first?.content?.bytes == content(1, 10))
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
    }

    @Test("Each variant of several is found without a thread, and its body too")
    func variants() async throws {
        let files = ImmediateFiles()
        let store = try await filled(files, FileExecutor(limit: 2))
        for name in 1...3 {
            let variant = CacheVariant([CacheVariant.Field(name: "accept", value: "\(name)")])
            var metadata = storeMetadata(tag: "\(name)")
            metadata.variant = variant
            try await store.put(storeKey("varied"), content(name, name * 20_000), metadata)
        }
        files.clear()
        let entries = try await store.variants(of: storeKey("varied"))
        #expect(entries.count == 3)
        for entry in entries {
            let length = Int(entry.response.bodyLength)
            #expect(try await store.body(of: entry, range: nil)?.collect() == content(length / 20_000, length))
        }
        #expect(files.waited.isEmpty)
    }

    @Test("What the disk has to be waited for is read on a thread, whichever step of a hit that is", arguments: 0..<12)
    func waits(step: Int) async throws {
        let files = ImmediateFiles()
        let store = try await filled(files, FileExecutor(limit: 2))
        for (name, length) in Self.lengths {
            files.clear()
            files.answer { count, _ in count == step ? .waits : .works }
            #expect(try await store.bytes(storeKey(name)) == content(name, length))
            #expect(files.waited.isEmpty == (files.seen.count <= step), "\(name)")
        }
        files.answer { _, _ in .works }
        files.clear()
        try await expectAll(in: store)
        #expect(files.waited.isEmpty, "it is asked again")
    }

    @Test("Where the system cannot tell whether it would wait, it is asked once", arguments: [0, 1])
    func unsupported(step: Int) async throws {
        let files = ImmediateFiles()
        let store = try await filled(files, FileExecutor(limit: 2))
        files.clear()
        files.answer { count, _ in count == step ? .unsupported : .works }
        for _ in 0..<3 { try await expectAll(in: store) }
        #expect(files.seen.count == step + 1)
        // Nor after the directory was opened again.
        store.view.contents.withLock { $0.isOpen = false }
        try await expectAll(in: store)
        #expect(files.seen.count == step + 1)
    }

    @Test("Where the directory is on a file system that cannot promise it, nothing is asked")
    func otherFileSystem() async throws {
        let files = ImmediateFiles(isPromised: false)
        let store = try await filled(files, FileExecutor(limit: 2))
        try await expectAll(in: store)
        #expect(files.seen.isEmpty)
    }

    @Test("A read that ends too soon is done again on a thread", arguments: [0, 1, 63, 64, 200])
    func shortReads(length: Int) async throws {
        let files = ImmediateFiles()
        let store = try await filled(files, FileExecutor(limit: 2))
        files.answer { _, _ in .short(length) }
        try await expectAll(in: store)
        #expect(try await store.usage().entries == Self.lengths.count, "none is taken for damaged")
    }

    @Test("A file that goes, grows or is replaced while it is looked up is a miss, and the others stay")
    func changes() async throws {
        for change in ["goes", "grows", "is replaced"] {
            let files = ImmediateFiles()
            let store = try await filled(files, FileExecutor(limit: 2))
            let entries = try await store.variants(of: storeKey(1))
            let other = try await store.variants(of: storeKey(2))
            store.opened.clear()
            let path = store.directory.entry(try #require(entries.first).id.rawValue)
            let otherPath = store.directory.entry(try #require(other.first).id.rawValue)
            files.answer { count, _ in
                guard count == 0 else { return .works }
                switch change {
                case "goes": try? FileManager.default.removeItem(atPath: path)
                case "grows":
                    let handle = FileHandle(forUpdatingAtPath: path)
                    _ = try? handle?.seekToEnd()
                    try? handle?.write(contentsOf: Data([1]))
                    try? handle?.close()
                default: rename(otherPath, path)
                }
                return .works
            }
            files.clear()
            if change == "goes" {
                #expect(try await store.variants(of: storeKey(1)).isEmpty)
            } else {
                await #expect(throws: CacheStoreFault(.damaged("an entry"))) {
                    try await store.variants(of: storeKey(1))
                }
            }
            #expect(try await store.variants(of: storeKey(1)).isEmpty, "\(change)")
            #expect(try await store.bytes(storeKey(3)) == content(3, 65_536))
            try await store.remove(.all)
        }
    }

    @Test("What another store of the directory has removed or stored is seen at once")
    func otherStore() async throws {
        let store = try await filled(ImmediateFiles(), FileExecutor(limit: 2))
        let other = FileCacheStore(directory: directory.url, bounds: .ample)
        #expect(try await store.bytes(storeKey(1)) == content(1, 10))
        try await other.put(storeKey(1), content(7, 20))
        #expect(try await store.bytes(storeKey(1)) == content(7, 20))
        try await other.remove(.key(storeKey(1)))
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
    }

    @Test("Content that was read with the description is not given out once the entry is removed")
    func removed() async throws {
        let store = try await filled(ImmediateFiles(), FileExecutor(limit: 2))
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        #expect(entry.content?.bytes == content(1, 10))
        try await store.remove(.key(storeKey(1)))
        #expect(try await store.body(of: entry, range: nil) == nil)
    }

    @Test("An entry shows nothing of the content it carries")
    func secrecy() async throws {
        let store = try await filled(ImmediateFiles(), FileExecutor(limit: 2))
        try await store.put(storeKey("secret"), Data("the password".utf8))
        let entry = try #require(try await store.variants(of: storeKey("secret")).first)
        var text = "\(entry) \(String(reflecting: entry))"
        dump(entry.content, to: &text)
        // Any digits may be in its name.
        text = text.replacing("\(entry.id.rawValue)", with: "")
        #expect(entry.content != nil)
        #expect(!text.contains("password") && !text.contains("116"), "\(text)")
    }

    /// Where the kernel, its file system or a sandbox cannot do it, there is nothing to be seen.
    private static let isSupported: Bool = {
        let files = SystemFiles()
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("httpchain-\(UUID().uuidString)")
        guard files.readsImmediately(in: url.deletingLastPathComponent().path),
            (try? Data([1, 2, 3]).write(to: url)) != nil
        else { return false }
        defer { try? FileManager.default.removeItem(at: url) }
        return (try? Files<FileFault>(files).immediate.open(url.path, .read)?.read(3, at: 0)) == [1, 2, 3]
    }()

    @Test(
        "The machine's files are read from memory: from anywhere, up to the end, and no links",
        .enabled(if: isSupported)
    )
    func system() throws {
        let directory = try ScratchDirectory.created()
        let bytes = content(1, 100_000)
        let path = try directory.file("a", bytes).path
        let files = Files<FileFault>(SystemFiles()).immediate
        #expect(isMissing(directory.path + "/none", files))
        let file = try #require(try files.open(path, .read))
        for (offset, count) in [(0, 10), (5, 70_000), (65_536, 34_464), (99_990, 100), (100_000, 5), (0, 100_001)] {
            let read = try file.data(count, at: Int64(offset))
            #expect(read == bytes[offset..<min(bytes.count, offset + count)], "\(offset), \(count)")
        }
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/link", withDestinationPath: path)
        #expect(throws: FileFault.self) { try files.open(directory.path + "/link", .read) }
        // What is opened stays readable without a name.
        try FileManager.default.removeItem(atPath: path)
        #expect(try file.read(10, at: 3) == [UInt8](bytes[3..<13]))
        #expect(isMissing(path, files))
    }

    /// Whether a file is not there, or the system does not remember that.
    private func isMissing(_ path: String, _ files: Files<FileFault>) -> Bool {
        do throws(FileFault) { return try files.open(path, .read) == nil } catch { return error.isWait }
    }

    @Test("Hits on the machine's files wait for no thread", .enabled(if: isSupported))
    func systemHits() async throws {
        let executor = FileExecutor(limit: 1)
        let store = try await filled(SystemFiles(), executor)
        let gate = DispatchSemaphore(value: 0)
        executor.submit { gate.wait() }
        defer { gate.signal() }
        try await expectAll(in: store)
    }
}

/// The machine's files, of which a test says whether they are in memory; it sees who waits for them.
private final class ImmediateFiles: WrappedFiles {
    enum Operation: Equatable, Sendable { case open, read }

    enum Answer: Sendable {
        case works, waits, unsupported
        /// A read ends after so many bytes.
        case short(Int)
    }

    private struct State {
        var seen: [Operation] = []
        var waited: [String] = []
        var answer: @Sendable (Int, Operation) -> Answer = { _, _ in .works }
    }
    let base: any FileSystem = SystemFiles()
    private let state = Locked(State())
    private let isPromised: Bool

    init(isPromised: Bool = true) {
        self.isPromised = isPromised
    }

    /// What was asked that does not wait.
    var seen: [Operation] { state.withLock { $0.seen } }
    /// Files that were opened for reading, or read, by somebody who waits.
    var waited: [String] { state.withLock { $0.waited } }

    /// - Parameter answer: What comes of each operation that does not wait, by its number since ``clear()``.
    func answer(_ answer: @escaping @Sendable (Int, Operation) -> Answer) { state.withLock { $0.answer = answer } }

    func clear() {
        state.withLock { state in
            state.seen = []
            state.waited = []
        }
    }

    fileprivate func ask(_ operation: Operation) throws(FileFault) -> Int {
        let (answer, count) = state.withLock { state in
            defer { state.seen.append(operation) }
            return (state.answer, state.seen.count)
        }
        switch answer(count, operation) {
        case .works: return .max
        case .short(let count): return count
        case .waits: throw FileFault(operation: "open", path: "it", code: EAGAIN, message: "would wait")
        case .unsupported: throw FileFault(operation: "open", path: "it", code: ENOSYS, message: "unknown")
        }
    }

    fileprivate func wait(for path: String) { state.withLock { $0.waited.append(path) } }

    func readsImmediately(in directory: String) -> Bool { isPromised }

    func openImmediately(_ path: String) throws(FileFault) -> (any File)? {
        _ = try ask(.open)
        return try base.open(path, .read).map { ImmediateFile($0, path, self) }
    }

    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        if opening == .read { wait(for: path) }
        return try base.open(path, opening).map { ImmediateFile($0, path, self) }
    }
}

private final class ImmediateFile: WrappedFile {
    let base: any File
    private let path: String
    private let system: ImmediateFiles

    init(_ base: any File, _ path: String, _ system: ImmediateFiles) {
        self.base = base
        self.path = path
        self.system = system
    }

    func readImmediately(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        let count = min(try system.ask(.read), buffer.count)
        return try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        system.wait(for: path)
        return try base.read(into: buffer, at: offset)
    }
}
#endif
