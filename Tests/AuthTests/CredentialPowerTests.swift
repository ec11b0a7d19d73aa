#if AllTests
import Foundation
import HTTPChainCore
import TestSupport
import Testing

@testable import HTTPChainAuth

private struct Numbered: CredentialDocumentContent {
    var version = 1
    var number = 0
    /// Longer than what a disk writes at once.
    var filling = ""
}

@Suite("A file of credentials on a machine that loses power", .seeded, .timeLimit(.minutes(10)))
struct CredentialPowerTests {
    private let directory: ScratchDirectory
    private let count = 4

    init() throws {
        directory = try ScratchDirectory.created()
    }

    private func document(_ disk: MemoryDisk) -> CredentialDocument<Numbered> {
        CredentialDocument(
            at: directory.file("credentials.json"),
            patience: .seconds(5),
            time: SystemTime(),
            access: FileAccess(system: disk)
        )
    }

    /// Changes the file a few times.
    private func script(_ disk: MemoryDisk) async throws -> [DiskStep<Int>] {
        let document = document(disk)
        var steps: [DiskStep<Int>] = []
        for number in 1...count {
            let start = disk.count
            try await document.change { content in
                content.number = number
                content.filling = String(repeating: "\(number)", count: 300 * number)
            }
            steps.append(DiskStep(number, start..<disk.count))
        }
        return steps
    }

    /// What is wrong with a file: it has what was reported last, or what was to follow, whole.
    private func problem(_ disk: MemoryDisk, _ steps: [DiskStep<Int>], after count: Int) async -> String? {
        let reported = steps.last { $0.isReported(after: count) }?.fact ?? 0
        let begun = steps.last { $0.hasBegun(after: count) }?.fact ?? 0
        guard let content = try? await document(disk).read() else { return "the file cannot be read" }
        guard content.filling == String(repeating: "\(content.number)", count: 300 * content.number) else {
            return "a mixture"
        }
        return [reported, begun].contains(content.number) ? nil : "\(content.number), and not \(reported) or \(begun)"
    }

    @Test("The file has what was reported last, or what was being written, and is whole")
    func whole() async throws {
        let disk = MemoryDisk(directories: [directory.path])
        let steps = try await script(disk)
        let problem = try await disk.history.firstProblem(images: 30, Seed.numbers()) { left, count in
            if let problem = await self.problem(left, steps, after: count) { return problem }
            // What was left of an earlier change is no obstacle to the next.
            try await document(left).change { $0.number = 9 }
            return try await document(left).read().number == 9 ? nil : "it cannot be changed any more"
        }
        #expect(problem == nil)
    }

    @Test("Something reported would be lost, were one wait for the disk left out", arguments: [true, false])
    func needed(isForDirectory: Bool) async throws {
        let disk = MemoryDisk(directories: [directory.path])
        let steps = try await script(disk)
        let careless = disk.history.without { $0.isForDirectory == isForDirectory }
        #expect(careless.waits.count == count && disk.history.waits.count == 2 * count)
        let problem = try await careless.firstProblem(images: 30, Seed.numbers()) { left, count in
            await self.problem(left, steps, after: count)
        }
        #expect(problem != nil)
    }
}
#endif
