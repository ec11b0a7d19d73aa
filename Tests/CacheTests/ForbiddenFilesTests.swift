#if AllTests
import DrillSupport
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A store whose files are forbidden", .heavy, .timeLimit(.minutes(10)))
struct ForbiddenFilesTests {
    /// What the owner of the files may do, where it is not root.
    enum Rights: String, CaseIterable, Sendable {
        case read, nothing

        var ofDirectory: Int { self == .read ? 0o500 : 0 }
        var ofFiles: Int { self == .read ? 0o400 : 0 }
    }

    /// Root is forbidden nothing: the helper is then nobody, who has to own what it opens.
    private func giveAway(_ path: String) {
        if geteuid() == 0 { #expect(chown(path, 65_534, 65_534) == 0) }
    }

    private func allow(_ rights: (directory: Int, files: Int), in directory: ScratchDirectory) throws {
        let files = FileManager.default
        for name in directory.names {
            let path = directory.url.appendingPathComponent(name).path
            giveAway(path)
            try files.setAttributes([.posixPermissions: rights.files], ofItemAtPath: path)
        }
        giveAway(directory.path)
        try files.setAttributes([.posixPermissions: rights.directory], ofItemAtPath: directory.path)
    }

    @Test(
        "What may not be written is a fault, what may not be read is a miss, and what was removed is not found",
        arguments: StoreKind.onDisk,
        Rights.allCases
    )
    func forbidden(kind: StoreKind, rights: Rights) async throws {
        let helper = try #require(Helper.url, "CacheKillDrill was not built")
        let directory = ScratchDirectory()
        // Another process has the store open: its journal is there, and may be read.
        let store = kind.make(.ample, in: directory)
        for number in 0..<10 {
            let key = CacheKey(url: "https://example.com/\(number)", identifier: "item-\(number)")
            try await store.put(key, DrillContent.entry(number, 7, number * 20_000), storeMetadata(tag: "\"7\""))
        }
        try allow((rights.ofDirectory, rights.ofFiles), in: directory)
        defer { try? allow((0o755, 0o644), in: directory) }
        let path = kind.path(in: directory)
        let outcome = try await runProgram(helper, [kind.rawValue, path, "100000000", "read"])
        #expect(outcome.text == "\(rights == .read ? 10 : 0)\nfault fault 0\n")
        for number in 0..<10 {
            let key = CacheKey(url: "https://example.com/\(number)", identifier: "item-\(number)")
            #expect(try await store.bytes(key) == DrillContent.entry(number, 7, number * 20_000))
        }
    }
}
#endif
