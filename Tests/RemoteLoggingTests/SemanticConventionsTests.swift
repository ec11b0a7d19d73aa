#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPTypes
import TestSupport
import Testing

@Suite("The registry of names of OpenTelemetry")
struct SemanticConventionsTests {
    /// The ids in the registries of the conventions.
    private static func registry() throws -> Set<String> {
        let folder = Repository.tests
            .appending(path: "SemanticConventions")
        var names: Set<String> = []
        for file in ["http", "error", "url", "network", "server"] {
            let text = try String(contentsOf: folder.appending(path: file + ".yaml"), encoding: .utf8)
            for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
                for prefix in ["- id: ", "- key: "] where line.hasPrefix(prefix) {
                    names.insert(String(line.dropFirst(prefix.count)))
                }
            }
        }
        return names
    }

    /// An exchange of which everything is known.
    private static func exchange(_ method: String = "PURGE") throws -> ExchangeLog {
        var exchange = ExchangeLog(
            try #require(HTTPRequest.Method(method)),
            "https://<redacted>@[::1]:8443/a?token=<redacted>&n=1#code=<redacted>",
            status: .notFound,
            duration: .milliseconds(12),
            start: Date(timeIntervalSince1970: 1)
        )
        exchange.origin = Origin("https://[::1]:8443/")
        exchange.finalURL = "https://b.example/?key=<redacted>"
        exchange.requestSize = .init(declared: 5)
        exchange.responseSize = .init(declared: 7, counted: 3)
        exchange.timeToHead = .milliseconds(10)
        exchange.bodyEnd = .complete
        exchange.attempts = 3
        exchange.requestFields = [.accept: "text/html"]
        exchange.responseFields = [.contentType: "text/plain"]
        exchange.requestBody = LoggedBody(.text, "asked")
        exchange.responseBody = LoggedBody(.text, "giv", isTruncated: true)
        return exchange
    }

    @Test("Every attribute of an exchange is in the registry, or is under a name of this library")
    func names() throws {
        let registry = try Self.registry()
        #expect(registry.contains("http.request.method") && registry.contains("url.full"))
        // The registry of exceptions, which is not among the files.
        let others: Set = ["exception.message"]
        var failed = try Self.exchange()
        failed.status = nil
        failed.error = LoggedError(type: "timeout", reason: "too slow")
        for exchange in [try Self.exchange(), failed] {
            let attributes = SemanticLogFormatter().attributes(for: exchange)
            #expect(attributes.list.count > 15)
            for attribute in attributes where !attribute.name.hasPrefix("httpchain.") {
                let isField = ["http.request.header.", "http.response.header."].first {
                    attribute.name.hasPrefix($0)
                }
                let name = isField.map { String($0.dropLast()) } ?? attribute.name
                #expect(registry.contains(name) || others.contains(name), "\(attribute.name) is in no registry")
            }
            #expect(attributes["error.type"] != nil)
        }
    }

    @Test("A redacted URL is a URL still, user information having both of its parts")
    func url() throws {
        let attributes = SemanticLogFormatter().attributes(for: try Self.exchange())
        let text = try #require(attributes["url.full"]?.string)
        #expect(text == "https://REDACTED:REDACTED@[::1]:8443/a?token=REDACTED&n=1#code=REDACTED")
        let url = try #require(URLComponents(string: text))
        #expect(url.user == "REDACTED" && url.password == "REDACTED" && url.port == 8443 && url.fragment != nil)
        #expect(url.queryItems?.map(\.value) == ["REDACTED", "1"])
        #expect(attributes["httpchain.url.final"] == "https://b.example/?key=REDACTED")
        #expect(attributes["server.address"] == "::1")
    }

    @Test("A method that is not known is other, and a known one is itself")
    func methods() throws {
        let unknown = SemanticLogFormatter().attributes(for: try Self.exchange())
        #expect(unknown["http.request.method"] == "_OTHER" && unknown["http.request.method_original"] == "PURGE")
        for method in HTTPSemantics.standardMethods {
            #expect(
                SemanticLogFormatter().attributes(for: try Self.exchange(method))["http.request.method"]
                    == .string(method)
            )
        }
    }
}
#endif
