#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import TestSupport
import Testing

@testable import HTTPChainAuth

private struct Note: CredentialDocumentContent {
    var version = 1
    var text = ""
}

@Suite("A disk that does not answer", .timeLimit(.minutes(10)))
struct StalledDiskTests {
    @Test("A stalled disk keeps nobody from giving up reading, and a change that has begun is finished")
    func stalled() async throws {
        let scratch = try ScratchDirectory.created()
        let file = scratch.file("note.json")
        let disk = StallingFiles()
        let executor = FileExecutor(limit: 2)
        let document = CredentialDocument<Note>(
            at: file,
            patience: .seconds(5),
            time: SystemTime(),
            access: FileAccess(system: disk, executor: executor)
        )
        let reading = Task { try await document.read() }
        try await until("the read to wait for the disk") { disk.waitingCount == 1 }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }

        let changing = Task { try await document.change { $0.text = "kept" } }
        try await until("the change to wait for the disk, too") { disk.waitingCount == 2 }
        changing.cancel()
        disk.release()
        try await changing.value
        let healthy = CredentialDocument<Note>(at: file, patience: .seconds(5), time: SystemTime())
        #expect(try await healthy.read().text == "kept")
    }
}
#endif
