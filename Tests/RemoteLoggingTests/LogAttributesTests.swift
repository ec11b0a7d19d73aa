#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import Logging
import Testing

@Suite("Attributes of a log record")
struct LogAttributesTests {
    @Test("Attributes keep the order in which they were added")
    func order() {
        var attributes: LogAttributes = ["b": 1, "a": 2]
        attributes["c"] = "x"
        #expect(attributes.map(\.name) == ["b", "a", "c"])
    }

    @Test("A name stands once: setting it again replaces its value in its place, and nil removes it")
    func once() {
        var attributes: LogAttributes = ["a": 1, "b": 2, "a": 3]
        #expect(attributes.map(\.name) == ["a", "b"])
        #expect(attributes["a"] == 3)
        attributes["a"] = nil
        #expect(attributes.map(\.name) == ["b"])
        attributes["none"] = nil
        #expect(attributes.list.count == 1)
    }

    @Test("A record on one line has its attributes behind the message, and no controls")
    func line() {
        let attributes: LogAttributes = ["http.request.method": "GET", "codes": [200, 404], "a\nb": "x\u{1B}[2J"]
        let now = Date()
        let record = LogRecord(date: now, level: .info, component: "a", message: "GET /\r\n", attributes: attributes)
        let line = record.line
        #expect(line.hasPrefix("GET /\\r\\n http.request.method=GET codes=["))
        #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
}
#endif
