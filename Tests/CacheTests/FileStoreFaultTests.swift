#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

@Suite("A store of files whose disk fails", .heavy, .timeLimit(.minutes(10)))
struct FileStoreFaultTests {
    private let bounds = FaultScript.bounds

    private func store(_ directory: ScratchDirectory, _ files: any FileSystem) -> FileCacheStore {
        FileCacheStore(path: directory.path, bounds: bounds, durability: .power, files: files)
    }

    private func script(
        _ directory: ScratchDirectory,
        _ files: FaultyFiles,
        isSound: Bool = false
    ) async throws -> FaultScript {
        var script = FaultScript(isSound: isSound) { store(directory, files) }
        try await script.run()
        return script
    }

    /// Waits until the store that is gone has let go of its files: it does so on threads, after its last reference.
    private func waitForRelease(_ directory: ScratchDirectory) async throws {
        try await until("no temporary file is locked") {
            directory.names.filter { $0.hasSuffix(".tmp") }.allSatisfy { name in
                guard let file = try? SystemFiles().open(directory.path + "/" + name, .read) else { return true }
                defer { file.unlock() }
                return (try? file.lock()) ?? false
            }
        }
    }

    /// A sound process finds a directory in order, and can work with it.
    ///
    /// - Returns: How many entries it found.
    @discardableResult
    private func inspect(_ directory: ScratchDirectory, _ script: FaultScript) async throws -> Int {
        let store = StoreKind.files.make(bounds, in: directory)
        let found = try await script.verify(store, isSameProcess: false, finding: FaultScript.left)
        let usage = try await store.usage()
        #expect(usage.bytes <= bounds.totalBytes.bytes && usage.entries <= bounds.entryCount)
        var files: Set<String> = ["lock", "index"]
        try await store.visit(.all) { entry in
            let name = String(entry.id.rawValue, radix: 16)
            let stem = String(repeating: "0", count: 16 - name.count) + name
            files.insert(stem + ".entry")
            if entry.response.bodyLength > 65_536 { files.insert(stem + ".body") }
            return true
        }
        #expect(Set(directory.names) == files, "nothing is left over")
        try await store.put(storeKey(9), content(9, 100))
        #expect(try await store.bytes(storeKey(9)) == content(9, 100))
        return found
    }

    @Test(
        "Every operation of a script fails in turn: nothing wrong is ever found",
        arguments: FaultyFiles.Fault.allCases
    )
    func everyOperation(fault: FaultyFiles.Fault) async throws {
        let sound = FaultyFiles()
        sound.fail(at: nil, fault)
        let clean = ScratchDirectory()
        try await inspect(clean, try await script(clean, sound, isSound: true))
        let count = sound.count
        #expect(count > 100)
        var (runs, found) = (0, 0)
        for operation in stride(from: Drill.isFull ? 0 : count % 7, to: count, by: Drill.isFull ? 1 : 7) {
            // Other tests want their turn.
            await Task.yield()
            let directory = ScratchDirectory()
            let files = FaultyFiles()
            files.fail(at: operation, fault)
            let script = try await script(directory, files)
            try await waitForRelease(directory)
            files.fail(at: 0, fault == .readOnly ? .readOnly : .dead)
            if !FileManager.default.fileExists(atPath: directory.path) { continue }
            runs += 1
            found += try await inspect(directory, script)
        }
        // One failure costs what it was about; a disk that is dead or read-only costs what was to come.
        let floor = fault == .dead || fault == .readOnly ? 1 : 3
        #expect(found >= floor * runs, "\(found) entries were found in \(runs) runs")
        Drill.report("cache-faults-\(fault.rawValue)", runs)
    }

    @Test("The disk is full after any number of bytes: nothing wrong is ever found, and nothing is left over")
    func fullDisk() async throws {
        var room = 0
        while room < 400_000 {
            await Task.yield()
            let directory = ScratchDirectory()
            let files = FaultyFiles()
            files.fill(after: room)
            let script = try await script(directory, files)
            try await inspect(directory, script)
            if room < 1000 { #expect(script.failures > 0, "there is no room for what is stored") }
            room += (room < 2000 ? 37 : 4001) * (Drill.isFull ? 1 : 9)
        }
    }
}
#endif
