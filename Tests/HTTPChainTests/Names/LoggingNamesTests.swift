import HTTPChain
import Logging
import Testing

// A file that logs: `Logger` is that of the module it imports for it.

@Suite("Names beside swift-log")
struct LoggingNamesTests {
    @Test("Names beside swift-log leave Logger to the module that the file imports")
    func logger() {
        let stage = LogRequestsMiddleware(logger: Logger(label: "com.example"))
        #expect(stage.summary.name == "LogRequestsMiddleware")
    }
}
