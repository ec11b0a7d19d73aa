#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

#if SQLite
import HTTPChainCacheSQLite
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Whose the files of a store are", .timeLimit(.minutes(10)))
struct OwnershipTests {
    private let directory = ScratchDirectory()

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func fileStore(_ url: URL) -> FileCacheStore {
        FileCacheStore(directory: url, bounds: .ample)
    }

    private func allowOthers(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func isUnsafe(_ error: any Error) -> Bool {
        if case .unsafe? = (error as? CacheStoreFault)?.problem { true } else { false }
    }

    @Test("A store of files is a directory with 0700 and files with 0600, also where others could use it before")
    func filePermissions() async throws {
        let place = directory.url.appendingPathComponent("store")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try allowOthers(0o777, place.path)
        try await fileStore(place).put(storeKey(1), content(1, 500_000))
        #expect(try permissions(place.path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(names.count >= 2)
        for name in names { #expect(try permissions(place.path + "/" + name) == 0o600, "\(name)") }
    }

    @Test("A directory that is a symbolic link is refused, and nothing is written where it leads")
    func symbolicLink() async throws {
        let real = directory.url.appendingPathComponent("real")
        let link = directory.url.appendingPathComponent("link")
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        await #expect { try await fileStore(link).put(storeKey(1), content(1, 10)) } throws: { isUnsafe($0) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: real.path).isEmpty)
    }

    @Test("A directory of another user is refused", .enabled(if: geteuid() == 0, "only root can give it away"))
    func otherOwner() async throws {
        let place = directory.url.appendingPathComponent("other")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        #expect(chown(place.path, 65_534, 65_534) == 0)
        await #expect { try await fileStore(place).put(storeKey(1), content(1, 10)) } throws: { isUnsafe($0) }
    }

    #if SQLite
    private func database(_ url: URL) -> SQLiteStore { SQLiteStore(file: url, bounds: .ample) }

    @Test("A database is a file with 0600 in a directory with 0700, and so is its journal")
    func databasePermissions() async throws {
        let place = directory.url.appendingPathComponent("new/place")
        let file = place.appendingPathComponent("cache.sqlite")
        let store = database(file)
        try await store.put(storeKey(1), content(1, 200_000))
        #expect(try permissions(place.path) == 0o700)
        for suffix in ["", "-wal", "-shm", ".lock"] {
            #expect(try permissions(file.path + suffix) == 0o600, "\(suffix)")
        }
        #expect(try await store.bytes(storeKey(1)) == content(1, 200_000))
    }

    @Test("A database that is a symbolic link is refused, and one that others may use becomes ours alone")
    func databaseLink() async throws {
        let directory = try ScratchDirectory.created()
        let real = directory.url.appendingPathComponent("real.sqlite")
        let link = directory.url.appendingPathComponent("link.sqlite")
        try Data().write(to: real)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        await #expect { try await database(link).put(storeKey(1), content(1, 10)) } throws: { isUnsafe($0) }
        #expect(try Data(contentsOf: real).isEmpty)
        try allowOthers(0o666, real.path)
        try await database(real).put(storeKey(1), content(1, 10))
        #expect(try permissions(real.path) == 0o600)
    }

    @Test("A database of another user is refused", .enabled(if: geteuid() == 0, "only root can give it away"))
    func databaseOfOther() async throws {
        let directory = try ScratchDirectory.created()
        let file = directory.url.appendingPathComponent("other.sqlite")
        try Data().write(to: file)
        #expect(chown(file.path, 65_534, 65_534) == 0)
        await #expect { try await database(file).put(storeKey(1), content(1, 10)) } throws: { isUnsafe($0) }
    }
    #endif
}
#endif
