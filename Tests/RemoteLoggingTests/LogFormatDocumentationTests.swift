#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import Testing

@Suite("The examples of the log formats")
struct LogFormatDocumentationTests {
    @Test("The formats of the package know their path and their media type")
    func formats() throws {
        let formats: [(BuiltInWireFormat, String, String)] = [
            (.otlp, "/v1/logs", "application/json"), (.otlp(.protobuf), "/v1/logs", "application/x-protobuf"),
            (.otlpTraces(), "/v1/traces", "application/json"),
            (.otlpTraces(.protobuf), "/v1/traces", "application/x-protobuf"),
            (.loki, "/loki/api/v1/push", "application/json"), (.ndjson, "", "application/x-ndjson"),
        ]
        for (format, path, type) in formats {
            #expect(
                format.url(endpoint: "http://collector.example.com:4318") == "http://collector.example.com:4318" + path
            )
            #expect(format.contentType == type)
        }
        let ndjson = BuiltInWireFormat.ndjson(flat: true)
        #expect(ndjson.receipt(for: HTTPResponse(status: .ok), body: Data()) == .accepted())
        let refused = BuiltInWireFormat.loki.receipt(for: HTTPResponse(status: .init(code: 260)), body: Data())
        #expect(refused == .refused("ingestion is blocked"))
    }
}
#endif
