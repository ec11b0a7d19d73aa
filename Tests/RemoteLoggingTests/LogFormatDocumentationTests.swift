#if AllTests
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import Logging
import Testing

@Suite("The examples of the log formats and of the handler for swift-log")
struct LogFormatDocumentationTests {
    @Test("The example of OTLPLogFormat works")
    func otlp() {
        let format = OTLPLogFormat()
        let url = OTLPLogFormat.url(endpoint: "http://collector.example.com:4318")  // …:4318/v1/logs
        #expect(format.contentType == "application/json")
        #expect(url == "http://collector.example.com:4318/v1/logs")
    }

    @Test("The example of LokiLogFormat works")
    func loki() {
        let format = LokiLogFormat(line: .logfmt, labels: ["deployment.environment.name", "region"])
        let url = LokiLogFormat.url(endpoint: "http://loki.example.com:3100")  // …:3100/loki/api/v1/push
        #expect(format.line == .logfmt)
        #expect(url == "http://loki.example.com:3100/loki/api/v1/push")
    }

    @Test("The example of RemoteLogHandler works")
    func handler() {
        // A process has its logging set up once: here it is enough that the lines compile.
        let setUp = { (shipper: any LogSink) in
            LoggingSystem.bootstrap(
                { label, provider in
                    MultiplexLogHandler([
                        StreamLogHandler.standardError(label: label, metadataProvider: provider),
                        RemoteLogHandler(label: label, sink: shipper, metadataProvider: provider),
                    ])
                },
                metadataProvider: nil
            )
        }
        _ = setUp
    }
}
#endif
