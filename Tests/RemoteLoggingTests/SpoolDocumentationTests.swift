#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import Logging
import TestSupport
import Testing

@Suite("Examples of the spool's documentation")
struct SpoolDocumentationTests {
    @Test("The example of LogSpool works")
    func spool() async throws {
        let scratch = ScratchDirectory()
        let support = scratch.url
        let record = LogRecord(date: Date(), level: .info, component: "garden", message: "watered")
        let sent = Locked<[LogRecord]>([])
        func send(_ records: [LogRecord]) async throws { sent.withLock { $0 += records } }

        let spool = try LogSpool(directory: support.appendingPathComponent("log-spool"), limit: .mebibytes(64))
        try spool.append(record)

        while let batch = try spool.nextBatch(maximumRecords: 512) {
            try await send(batch.records)
            try spool.acknowledge(batch.position)
        }

        #expect(sent.withLock { $0 } == [record])
        #expect(spool.isEmpty)
        #expect(spool.summary.hasSuffix("log-spool, up to 64 MiB"))
    }
}
#endif
