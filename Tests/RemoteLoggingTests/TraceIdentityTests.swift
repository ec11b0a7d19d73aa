#if AllTests
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import Testing

@Suite("The trace that a record belongs to")
struct TraceIdentityTests {
    private let sink = ExchangeCapture()
    private static let trace: String = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"
    private static let sent = "1111111111111111"
    private static let malformed: [String] = [
        "", "00-x-y-01", "00-\(String(repeating: "0", count: 32))-\(sent)-01", "00-\(trace)-\(sent)",
        "00-\(trace.uppercased())-\(sent)-01", "00-\(trace)-\(span)0-01",
    ]

    private func provider(_ metadata: Logger.Metadata) -> Logger.MetadataProvider {
        Logger.MetadataProvider { metadata }
    }

    /// What a record says of its trace: trace, span and flags.
    private func identity(
        _ unit: ExchangeUnit,
        task metadata: Logger.Metadata = [:],
        sentWith parent: String? = nil,
        saying attributes: LogAttributes = [:]
    ) async throws -> [String?] {
        let stage = RemoteLoggingMiddleware(sink, each: unit, metadataProvider: provider(metadata))
        var request = Request.get("https://a.example/")
        request = request.logging(attributes: attributes)
        _ = await StageHarness(stage).send(
            request,
            answering: .perform { request in
                var response = Response(.ok)
                var head = request.head
                if let parent, let name = HTTPField.Name("traceparent") { head.headerFields[name] = parent }
                response.request = head
                return response
            }
        )
        let record = try #require(sink.take().first)
        return ["trace_id", "span_id", "trace_flags"].map { record.attributes[$0]?.string }
    }

    private var task: Logger.Metadata {
        ["trace_id": "\(Self.trace)", "span_id": "\(Self.span)", "trace_flags": "01", "other": "x"]
    }

    @Test("The trace is that of the task, as the provider of metadata tells it")
    func provided() async throws {
        #expect(try await identity(.call, task: task) == [Self.trace, Self.span, "01"])
        #expect(try await identity(.attempt, task: task) == [Self.trace, Self.span, "01"])
        let trace: Logger.Metadata = ["trace_id": .stringConvertible(Self.trace)]
        #expect(try await identity(.call, task: trace) == [Self.trace, nil, nil])
        #expect(try await identity(.call) == [nil, nil, nil])
    }

    @Test("The trace of an attempt is the span that it was sent with, and of a call the trace alone")
    func sent() async throws {
        let parent = "00-\(Self.trace)-\(Self.sent)-01"
        #expect(try await identity(.attempt, task: task, sentWith: parent) == [Self.trace, Self.sent, "01"])
        #expect(try await identity(.call, task: task, sentWith: parent) == [Self.trace, Self.span, "01"])
        #expect(try await identity(.call, sentWith: parent) == [Self.trace, nil, "01"])
    }

    @Test("The trace is left out where it is malformed", arguments: malformed)
    func leftOut(parent: String) async throws {
        #expect(try await identity(.attempt, sentWith: parent) == [nil, nil, nil])
        #expect(try await identity(.attempt, task: ["trace_id": "\(parent)"]) == [nil, nil, nil])
    }

    @Test("The trace is what the call itself says, where it says so")
    func own() async throws {
        #expect(try await identity(.call, task: task, saying: ["span_id": "own"]) == [Self.trace, "own", "01"])
    }
}
#endif
