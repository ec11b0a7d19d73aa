#if AllTests && Macros
import Foundation
import MacroExpansion
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import Testing

@Suite("Mistakes in a declaration", .timeLimit(.minutes(10)))
struct MistakeTests {
    /// What is wrong with the first declaration of a source, whose first attribute is `@Service`.
    private static func mistakes(in source: String) -> [Mistake] {
        let statement = Parser.parse(source: source).statements.first?.item.as(DeclSyntax.self)
        guard let declaration = statement,
            case .attribute(let service)? = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.first
        else { return [] }
        return ServiceExpansion(of: service, on: declaration).mistakes
    }

    /// The source after the edits of a fix, as an editor makes them.
    private static func applying(_ fix: FixIt, to source: String) -> String {
        var bytes = Array(source.utf8)
        for edit in fix.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(
                edit.range.lowerBound.utf8Offset..<edit.range.upperBound.utf8Offset,
                with: edit.replacement.utf8
            )
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A declaration with single spaces, and without semicolons.
    private static func normal(_ source: String) -> String {
        source.split { $0 == " " || $0 == "\n" || $0 == ";" }.joined(separator: " ")
    }

    @Test("Each mistake is reported at its place, and each of its fixes mends it", arguments: DeclarationMistake.all)
    func mistake(_ mistake: DeclarationMistake) throws {
        let found = Self.mistakes(in: mistake.source)
        let told = try #require(found.first { $0.text.contains(mistake.says) }, "\(found.map(\.text))")
        #expect(told.node.trimmedDescription == mistake.at)
        let diagnostic = told.diagnostic
        let titles = told.fixes.map(\.title)
        #expect(diagnostic.message == told.text && diagnostic.fixIts.map(\.message.message) == titles)
        try #require(diagnostic.fixIts.count == mistake.mended.count, "\(titles)")
        for (fix, mended) in zip(diagnostic.fixIts, mistake.mended) {
            var text = Self.applying(fix, to: mistake.source)
            var left = Self.mistakes(in: text)
            for _ in 1...5 {
                guard let next = left.first else { break }
                text = Self.applying(try #require(next.diagnostic.fixIts.first, "\(next.text): \(text)"), to: text)
                left = Self.mistakes(in: text)
            }
            #expect(Self.normal(text) == Self.normal(mended), "\(fix.message.message)")
            #expect(left.isEmpty, "\(left.map(\.text))")
        }
    }

    @Test("What each fix makes is compiled with these tests")
    func compiled() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("MendedDeclarations.swift")
        let collector = ProtocolCollector(viewMode: .sourceAccurate)
        collector.walk(Parser.parse(source: try String(contentsOf: file, encoding: .utf8)))
        let compiled = Set(collector.declarations.map(Self.normal))
        let mended = Set(DeclarationMistake.all.flatMap(\.mended).map(Self.normal))
        #expect(mended.count > 50 && compiled == mended, "\(mended.symmetricDifference(compiled))")
    }

    @Test(
        "What stands on a service has mistakes of its own, told once",
        arguments: [
            ("@GET(\"a\")", "@GET stands on a method", "@GET(\"a\")"),
            ("@Authentication(by: \"a\") @Authentication(false)", "stands here twice", "@Authentication(false)"),
            ("@Timeout(nil) @Timeout(nil)", "stands here twice", "@Timeout(nil)"),
            ("@Headers([\"A\": Keys.b])", "as strings", "\"A\": Keys.b"),
            ("@Headers([\"A\": \"1\", \"a\": \"2\"])", "a is given twice", "\"a\": \"2\""),
            ("@Headers([\"A b\": \"1\"])", "no name of a header field", "\"A b\": \"1\""),
            ("@Headers([\"A\": \"{id}\"])", "no parameter \"id\" for the value of A", "b"),
        ]
    )
    func service(annotations: String, says: String, at: String) throws {
        let methods = "@GET(\"{id}\") func a(id: Int) async throws; @GET(\"b\") func b() async throws"
        let found = Self.mistakes(in: "@Service(base: \"https://a.example\") \(annotations) protocol S { \(methods) }")
        #expect(found.count == 1)
        let mistake = try #require(found.first)
        #expect(mistake.text.contains(says) && mistake.node.trimmedDescription == at)
    }

    @Test("@Service stands on a protocol alone")
    func noProtocol() {
        let found = Self.mistakes(in: "@Service(base: \"https://a.example\") struct S {}")
        #expect(found.map(\.text) == ["@Service stands on a protocol"])
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

/// Collects the protocols of a file, as if each were called S.
private final class ProtocolCollector: SyntaxVisitor {
    var declarations: [String] = []

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        let members = node.memberBlock.members.trimmedDescription
        declarations.append("\(node.attributes.trimmedDescription) protocol S { \(members) }")
        return .skipChildren
    }
}
#endif
