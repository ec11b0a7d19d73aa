#if AllTests && Macros
import Foundation
import HTTPChainInMemory
import HTTPChainMacros
import HTTPTypes
import MacroExpansion
import SwiftParser
import SwiftSyntax
import TestSupport
import Testing

@Suite("Every annotation", .timeLimit(.minutes(10)))
struct EveryAnnotationTests {
    private let transport = InMemoryTransport()

    private func every() throws -> EveryAnnotationClient {
        EveryAnnotationClient(
            chain: try Chain(transport: transport) {
                ErrorHandlerMiddleware(.fallback([Plant(id: 0, name: "of the stage")], for: [500]))
                SerializerMiddleware(.json, .form)
                StatusValidationMiddleware()
                URLBuilderMiddleware(base: "https://elsewhere.example")
                HeadersMiddleware()
                ProgressMiddleware(.wire)
            }
        )
    }

    private func sent() throws -> RecordedRequest { try #require(transport.requests.last) }

    @Test("Methods other than those of most calls are sent, with a header field and a serializer by its name")
    func methods() async throws {
        transport.enqueue(.status(.noContent), times: 2)
        transport.enqueue(
            .text(#"{"plants":[{"id":7,"name":"Yew"}]}"#, headers: [.contentType: "application/json"])
        )
        try await every().head()
        #expect(try sent().method == .head && sent().url == "https://every.example/head")
        try await every().options(tenant: "north")
        let tenant = try #require(HTTPField.Name("tenant"))
        #expect(try sent().method == .options && sent().headers[tenant] == "north")
        let call = try every().calls.query(Plant(id: 1, name: "Yew & Oak"))
        let serialization = try call.request.makeRequest().serialization
        guard case .named("form")? = serialization.request, case .named("form")? = serialization.response else {
            Issue.record("The serializer is \(serialization)")
            return
        }
        // The stage's own serializer of the response's type reads it.
        #expect(try await call.with { $0.serializer("JSON") }.value == [Plant(id: 7, name: "Yew")])
        let question = try JSONDecoder().decode(Plant.self, from: try sent().body)
        #expect(try sent().method == .query && question == Plant(id: 1, name: "Yew & Oak"))
    }

    @Test("What stages read is in the request: hedging, coalescing, weight, what is invalid, settings of the cache")
    func options() throws {
        let calls = try every().calls
        let hedging = try #require(
            try calls.hedged().request.makeRequest().options[HedgingOption.self].applied(to: nil)
        )
        #expect(hedging.attempts == 3 && hedging.delay == .fixed(.milliseconds(5)))
        #expect(try calls.apart().request.makeRequest().options[CoalescingOption.self] == false)
        #expect(try calls.heavy().request.makeRequest().options[RateLimitOption.self] == 5)
        let invalidating = try calls.invalidating().request.makeRequest().options[CacheOption.self]
        #expect(invalidating.invalidates == [.identifier("a"), .identifierPrefix("b-")])
        let settings = try calls.refreshed().request.makeRequest().options[CacheOption.self]
        #expect(settings.use == .refresh && settings.ignoredQuery == .named(["page"]))
        #expect(settings.classification == "plants")
    }

    @Test("Handlers of the call alone handle its errors: those of the stage are not asked")
    func onlyErrorHandlers() async throws {
        transport.enqueue([.status(.notFound), .status(.internalServerError)])
        #expect(try await every().handled() == [])
        await #expect(throws: StatusError.self) { try await every().handled() }
    }

    @Test("The caller gives the closures for progress and for a change of the request")
    func progressAndChange() async throws {
        transport.enqueue(.status(.noContent))
        let reports = Locked(0)
        try await every().told(
            bytes: Data("bytes".utf8),
            progress: { _ in reports.withLock { $0 += 1 } },
            change: { request in
                var request = request
                request.headers[.referer] = "https://every.example/"
                return request
            }
        )
        #expect(reports.withLock { $0 } > 0)
        #expect(try sent().text == "bytes" && sent().headers[.referer] == "https://every.example/")
    }

    // MARK: Each macro of the library

    private static let root = Repository.root

    private static func tree(_ path: String) throws -> SourceFileSyntax {
        Parser.parse(source: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }

    /// The macros that the library declares, by name and labels: "Query(_:from:)".
    static func declared() throws -> Set<String> {
        let folder = root.appendingPathComponent("Sources/HTTPChainMacros")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let collector = MacroCollector(viewMode: .sourceAccurate)
        for file in files { collector.walk(try tree("Sources/HTTPChainMacros/\(file)")) }
        return collector.macros
    }

    /// The annotations of a source, as the macros that they are.
    static func used(in source: some SyntaxProtocol) -> Set<String> {
        let collector = MacroCollector(viewMode: .sourceAccurate)
        collector.walk(source)
        return collector.annotations
    }

    @Test("Each macro stands in a declaration that is compiled")
    func compiled() throws {
        let files = ["PlantService", "DeclaredStagesTests", "DeclaredBehaviourTests", "EveryAnnotation"]
        let used = try files.map { Self.used(in: try Self.tree("Tests/MacrosTests/\($0).swift")) }
        let declared = try Self.declared()
        #expect(declared.count > 50, "\(declared)")
        #expect(declared.subtracting(used.reduce([]) { $0.union($1) }).isEmpty)
    }

    @Test("Each macro has a line of its expansion among those that are compared")
    func expanded() throws {
        let rows =
            ExpansionTests.rows.map { "\($0.0) func \($0.1)" } + ExpansionTests.results.map { "\($0.0) func a()" }
        let used = Self.used(
            in: Parser.parse(source: "@Service(base: \"a\") protocol S {\n\(rows.joined(separator: "\n"))\n}")
        )
        #expect(try Self.declared().subtracting(used).isEmpty)
    }
}

/// Collects the macros that a source declares, and those that it uses.
private final class MacroCollector: SyntaxVisitor {
    var macros: Set<String> = []
    var annotations: Set<String> = []

    override func visit(_ node: MacroDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.modifiers.contains(where: { $0.name.text == "public" }) else { return .skipChildren }
        let labels = node.signature.parameterClause.parameters.map(\.firstName.text)
        macros.insert(Self.key(node.name.text, labels))
        return .skipChildren
    }

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        guard case .argumentList(let list)? = node.arguments else {
            // One whose argument has a default value is the same macro without it.
            let name = node.attributeName.trimmedDescription
            annotations.formUnion(["\(name)()", "\(name)(_:)"])
            return .skipChildren
        }
        annotations.insert(Self.key(node.attributeName.trimmedDescription, list.map { $0.label?.text ?? "_" }))
        return .skipChildren
    }

    /// The name with its first label, and with the one that tells some macros apart: what follows may be left out.
    private static func key(_ name: String, _ labels: [String]) -> String {
        guard let first = labels.first else { return "\(name)()" }
        return "\(name)(\(first):\(labels.dropFirst().contains("from") ? "from:" : ""))"
    }
}
#endif
