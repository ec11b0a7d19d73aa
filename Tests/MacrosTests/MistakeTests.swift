#if Macros
import Foundation
import MacroExpansion
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import Testing

@Suite("Mistakes in a declaration", .timeLimit(.minutes(5)))
struct MistakeTests {
    private static func mistakes(
        in source: String,
        annotations: String = "",
        protocolKeyword: String = "protocol"
    ) -> [Mistake] {
        let service = "@Service(base: \"https://a.example\") \(annotations) \(protocolKeyword) S {\n\(source)\n}"
        let file = Parser.parse(source: service)
        let statement = file.statements.first?.item.as(DeclSyntax.self)
        guard let declaration = statement,
            case .attribute(let service)? = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.first
        else { return [] }
        return ServiceExpansion(of: service, on: declaration).mistakes
    }

    /// The members of the protocol once a fix was applied, with single spaces.
    private static func applying(_ fix: Mistake.Fix) -> String {
        let root = fix.node.root.description
        let start = fix.node.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = fix.node.endPositionBeforeTrailingTrivia.utf8Offset
        let bytes = Array(root.utf8)
        let text =
            String(decoding: bytes[..<start], as: UTF8.self) + fix.replacement
            + String(decoding: bytes[end...], as: UTF8.self)
        guard let open = text.firstIndex(of: "{"), let close = text.lastIndex(of: "}") else { return text }
        return text[text.index(after: open)..<close].split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    @Test("Each is told at its place, and fixes mend it", arguments: DeclarationMistake.all)
    func mistake(_ mistake: DeclarationMistake) throws {
        let found = Self.mistakes(in: mistake.source)
        let told = try #require(found.first { $0.text.contains(mistake.says) }, "\(found.map(\.text))")
        #expect(told.node.trimmedDescription == mistake.at)
        let diagnostic = told.diagnostic
        #expect(diagnostic.message == told.text && diagnostic.fixIts.map(\.message.message) == told.fixes.map(\.title))
        guard let mended = mistake.mended else { return }
        var (text, left) = (mistake.source, found)
        while let fix = left.first?.fixes.first {
            text = Self.applying(fix)
            left = Self.mistakes(in: text)
        }
        #expect(text == mended && left.isEmpty)
    }

    @Test("What the fixes make is compiled with these tests")
    func compiled() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("MendedDeclarations.swift")
        let collector = ProtocolCollector(viewMode: .sourceAccurate)
        collector.walk(Parser.parse(source: try String(contentsOf: file, encoding: .utf8)))
        let mended = DeclarationMistake.all.compactMap(\.mended).filter { !$0.isEmpty }
        #expect(collector.members.isSuperset(of: mended), "\(Set(mended).subtracting(collector.members))")
    }

    @Test(
        "What stands on a service has mistakes of its own, told once",
        arguments: [
            ("@GET(\"a\")", "@GET stands on a method", "@GET(\"a\")"),
            ("@Authenticator(\"a\") @Unauthenticated", "do not go together", "@Unauthenticated"),
            ("@Timeout(nil) @Timeout(nil)", "stands here twice", "@Timeout(nil)"),
            ("@Headers([\"A\": Keys.b])", "as strings", "\"A\": Keys.b"),
            ("@Headers([\"A\": \"{id}\"])", "no parameter \"id\" for the value of A", "b"),
        ]
    )
    func service(annotations: String, says: String, at: String) throws {
        let methods = "@GET(\"{id}\") func a(id: Int) async throws; @GET(\"b\") func b() async throws"
        let found = Self.mistakes(in: methods, annotations: annotations)
        #expect(found.count == 1)
        let mistake = try #require(found.first)
        #expect(mistake.text.contains(says) && mistake.node.trimmedDescription == at)
    }

    @Test("@Service stands on a protocol alone")
    func noProtocol() {
        #expect(Self.mistakes(in: "", protocolKeyword: "struct").map(\.text) == ["@Service stands on a protocol"])
    }

    @Test("A declaration with mistakes makes nothing, so that the mistakes are not lost among others")
    func nothingElse() throws {
        let file = Parser.parse(source: "@Service protocol S { @GET(\"{id}\") func a() async throws }")
        let declaration = try #require(file.statements.first?.item.as(DeclSyntax.self)?.as(ProtocolDeclSyntax.self))
        guard case .attribute(let service)? = declaration.attributes.first else { return }
        let expansion = ServiceExpansion(of: service, on: declaration)
        #expect(expansion.declarations.isEmpty && expansion.mistakes.count == 1)
    }
}

/// Collects what stands in the protocols of a file, with single spaces.
private final class ProtocolCollector: SyntaxVisitor {
    var members: Set<String> = []

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        let text = node.memberBlock.members.trimmedDescription
        members.insert(text.split { $0 == " " || $0 == "\n" }.joined(separator: " "))
        return .skipChildren
    }
}
#endif
