#if AllTests && Macros
import Foundation
import SwiftParser
import SwiftSyntax
import TestSupport
import Testing

@Suite("The page of declared clients", .timeLimit(.minutes(10)))
struct DeclarationPageTests {
    /// The rows of the table with these words in its head, each a list of cells.
    private static func table(_ head: String) throws -> [[String]] {
        let root = Repository.root
        let file = root.appendingPathComponent("Sources/HTTPChainMacros/HTTPChainMacros.docc/HTTPChainMacros.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let start = try #require(lines.firstIndex { $0.hasPrefix("| annotation |") && $0.contains(head) })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        }
    }

    private static func code(_ cell: String) -> String { String(cell.dropFirst().dropLast()) }

    @Test("Each line beside an annotation is one of its expansion")
    func expansions() throws {
        let rows = try Self.table("in its expansion")
        #expect(rows.count > 50 && rows.allSatisfy { $0.count == 3 })
        for row in rows {
            let method = Self.code(row[1])
            let effects = method.contains(" async throws") ? "" : " async throws"
            let source = "@Service protocol S { \(Self.code(row[0])) func \(method)\(effects) }"
            let client = try #require(try ExpansionTests.expand(source).first, "\(source)")
            #expect(client.contains(Self.code(row[2])), "\(source)\n\(client)")
        }
    }

    @Test("Each macro stands beside its expansion")
    func complete() throws {
        let rows = try Self.table("in its expansion").map { "\(Self.code($0[0])) func a()" }
        let source = "@Service(base: \"a\") protocol S {\n\(rows.joined(separator: "\n"))\n}"
        let missing = try EveryAnnotationTests.declared()
            .subtracting(EveryAnnotationTests.used(in: Parser.parse(source: source)))
        #expect(missing.isEmpty)
    }

    @Test("Each annotation with a counterpart in ROAD's web service is used in an expansion test")
    func counterparts() throws {
        let rows = try Self.table("in `ROAD`'s web service")
        let links = try Regex("``([A-Za-z]+)\\(([^`]*)\\)(?:-[a-z0-9]+)?``", as: (Substring, Substring, Substring).self)
        let named = Set(rows.flatMap { $0[0].matches(of: links).map { String($0.output.1) } })
        let tested = ExpansionTests.rows.map(\.0) + ExpansionTests.results.map(\.0)
        let used = Set(
            EveryAnnotationTests.used(in: Parser.parse(source: tested.map { "\($0) func a()" }.joined(separator: "\n")))
                .compactMap { $0.split(separator: "(").first.map(String.init) }
        )
        #expect(named.count > 40 && named.subtracting(used) == ["Service"])
    }

    @Test(
        "Each attribute and property that a client had in ROAD's web service has its counterpart",
        arguments: [
            "ESDWebServiceCall", "ESDWebServiceClientStatusCodes", "ESDWebServiceHeader", "RFFormData",
            "RFMultipartData", "RFWebService", "RFWebServiceCache", "RFWebServiceCall", "RFWebServiceClient",
            "RFWebServiceClientDownloadProgressBlock", "RFWebServiceClientStatusCodes", "RFWebServiceErrorHandler",
            "RFWebServiceHeader", "RFWebServiceLogger", "RFWebServiceSerializer", "RFWebServiceURLBuilder",
            "RFWebServiceURLBuilderParameter", "authenticationProvider", "boundary", "builderClass", "cacheDisabled",
            "headerFields", "maxAge", "method", "overrideGlobalSuccessCodes", "postParameter", "prepareBlock",
            "progressBlockParameter", "prototypeClass", "relativePath", "requestProcessor", "serializationDelegate",
            "serializationDisabled", "serializationRoot", "serializerClass", "serviceRoot", "sharedHeaders",
            "successCodes",
        ]
    )
    func attribute(name: String) throws {
        let rows = try Self.table("in `ROAD`'s web service")
        let row = try #require(rows.first { $0[2].contains("`\(name)`") })
        #expect(row[0].hasPrefix("``"))
    }
}
#endif
