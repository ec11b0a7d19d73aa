#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import Logging
import TestSupport
import Testing

@Suite("Log content is read by programs that were not written here", .heavy, .seeded, .timeLimit(.minutes(10)))
struct FormatInteroperabilityTests {
    @Test("Values of every kind are read, thousands of them", arguments: ForeignReader.allCases)
    func random(reader: ForeignReader) async throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            try await expectNoProblems(reader, RandomLogs(seed: seed).batch(of: 700))
        }
    }

    @Test("A batch of nothing is read", arguments: [ForeignReader.otlp, .protobuf, .loki])
    func empty(reader: ForeignReader) async throws {
        try await expectNoProblems(reader, LogBatch(resource: LogResource(serviceName: "shop"), records: []))
    }

    @Test("Values nested as deep as is written are read by every parser", arguments: ForeignReader.allCases)
    func deep(reader: ForeignReader) async throws {
        var value: JSONValue = "leaf"
        for level in 1...16 { value = level % 2 == 0 ? .array([value]) : .object(["a": value]) }
        let record = LogRecord(
            date: Date(timeIntervalSince1970: 1),
            level: .info,
            component: "a",
            message: "",
            attributes: ["deep": value]
        )
        try await expectNoProblems(reader, LogBatch(resource: LogResource(serviceName: "shop"), records: [record]))
    }

    @Test("What is not as it was meant is noticed", arguments: ForeignReader.allCases)
    func noticed(reader: ForeignReader) async throws {
        let batch = RandomLogs(seed: 4).batch(of: 20)
        var other = batch
        other.records[7].attributes["more"] = 1
        guard let problems = try await reader.problems(of: reader.format.encode(other), meaning: batch) else {
            return notRunWithoutOpenTelemetry()
        }
        #expect(!problems.isEmpty)
    }

    private func expectNoProblems(
        _ reader: ForeignReader,
        _ batch: LogBatch,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard let problems = try await reader.problems(of: reader.format.encode(batch), meaning: batch) else {
            return notRunWithoutOpenTelemetry(sourceLocation: sourceLocation)
        }
        #expect(problems == "", sourceLocation: sourceLocation)
    }
}

/// Says that a test did not run: as a failure where everything must be there.
func notRunWithoutOpenTelemetry(sourceLocation: SourceLocation = #_sourceLocation) {
    Programs.notRun(
        "python3 cannot import opentelemetry.proto; install it with: pip install opentelemetry-proto",
        sourceLocation: sourceLocation
    )
}
#endif
