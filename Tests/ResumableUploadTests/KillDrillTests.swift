#if AllTests
import DrillSupport
import Foundation
import HTTPChainTesting
import TestSupport
import Testing

@Suite("A process that is killed while it uploads", .heavy, .timeLimit(.minutes(10)))
struct KillDrillTests {
    private let kills = Drill.isFull ? 300 : 20

    @Test("The next one goes on: each content arrives whole, and none of it a second time", .seeded)
    func kills() async throws {
        let helper = try #require(Programs.beside("UploadKillDrill"), "UploadKillDrill was not built")
        let scratch = try ScratchDirectory.created()
        let random = Seed.numbers()
        var verified = 0
        for round in 0..<kills {
            let parts = 1 + random.index(below: 20)
            let delay = UInt32(random.index(below: 3000))
            let ending = try await offThePool { try runAndKill(helper, [scratch.path], after: parts, delay) }
            #expect(ending == .uncaughtSignal, "round \(round): it ended by itself")
            verified = try inspect(scratch, round, verified)
        }
        let done = try names(scratch, "done").count
        #expect(done > kills / 2, "there was something to look at")
        Drill.report("upload-kills", kills)
    }

    private func names(_ scratch: ScratchDirectory, _ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.file(folder).path)
    }

    /// Looks at what the server has, and removes what is complete and right.
    ///
    /// - Parameter verified: The number of uploads that were complete and right before.
    /// - Returns: Their number now.
    private func inspect(_ scratch: ScratchDirectory, _ round: Int, _ verified: Int) throws -> Int {
        let done = try names(scratch, "done").count
        var begun: Set<Int> = []
        for name in try names(scratch, "server") {
            let number = try #require(name.split(separator: "-").first.flatMap { Int($0) })
            let file = scratch.file("server").appendingPathComponent(name)
            let bytes = try Data(contentsOf: file)
            if !bytes.isEmpty {
                #expect(number >= verified, "round \(round): \(name) is sent a second time")
                #expect(begun.insert(number).inserted, "round \(round): \(name) is another one of the same content")
                let content = DrillContent.bytes(of: number)
                #expect(number < done ? bytes == content : content.starts(with: bytes), "round \(round): \(name)")
            }
            // One without bytes was created, and the process was killed before the store had it.
            if number < done { try FileManager.default.removeItem(at: file) }
        }
        #expect((verified..<done).allSatisfy(begun.contains), "round \(round)")
        for name in (try? names(scratch, "store")) ?? [] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file("store").path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        return done
    }
}
#endif
