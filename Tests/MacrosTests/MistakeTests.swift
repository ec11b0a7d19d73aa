#if Macros
import MacroExpansion
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import Testing

@Suite("Mistakes in a declaration", .timeLimit(.minutes(5)))
struct MistakeTests {
    /// One mistake: the declaration, a part of what is said, and what the first fix makes of it, if there is one.
    struct Row: CustomTestStringConvertible, Sendable {
        var source: String
        var says: String
        var fixed: String?

        init(_ source: String, _ says: String, _ fixed: String? = nil) {
            self.source = source
            self.says = says
            self.fixed = fixed
        }

        var testDescription: String { says }
    }

    static let rows: [Row] = [
        Row("func a() async throws", "has no method and path", "@GET(\"a\") func a() async throws"),
        Row("@GET(\"a\") @POST(\"b\") func a() async throws", "has one method", "@GET(\"a\") func a() async throws"),
        Row("@GET(\"a\\\\b\") func a() async throws", "no backslash", "@GET(\"a/b\") func a() async throws"),
        Row("@GET(\"a?b=1\") func a() async throws", "no part of the path", "@GET(\"a\") func a() async throws"),
        Row("@GET(\"a#b\") func a() async throws", "fragment is never sent", "@GET(\"a\") func a() async throws"),
        Row("@GET(\"/a\") func a() async throws", "behind the base's slash", "@GET(\"a\") func a() async throws"),
        Row("@GET(\"a/{id\") func a(id: Int) async throws", "braces of the path"),
        Row("@GET(\"{id}/{id}\") func a(id: Int) async throws", "stands twice in the path"),
        Row("@GET(\"\\(x)\") func a() async throws", "without interpolation"),
        Row(
            "@GET(\"{id}\") func a() async throws",
            "no such parameter",
            "@GET(\"{id}\") func a(id: String) async throws"
        ),
        Row(
            "@GET(\"{id}\") @Query(\"page\") func a(page: Int) async throws",
            "no such parameter",
            "@GET(\"{id}\") @Query(\"page\") func a(page: Int, id: String) async throws"
        ),
        Row(
            "@GET(\"{id}\") func a(id: Int?) async throws",
            "not optional",
            "@GET(\"{id}\") func a(id: Int) async throws"
        ),
        Row(
            "@GET(\"a\") func a(page: Int) async throws",
            "\"page\" is sent nowhere",
            "@GET(\"a\") @Query(\"page\") func a(page: Int) async throws"
        ),
        Row(
            "@GET(\"a\") @Query(\"pgae\") func a(page: Int) async throws",
            "no parameter \"pgae\"; there are page",
            "@GET(\"a\") @Query(\"page\") func a(page: Int) async throws"
        ),
        Row("@GET(\"a\") @Query(\"p\") @Header(\"p\") func a(p: Int) async throws", "used by @Query already"),
        Row("@GET(\"{id}\") @Path(\"di\", from: \"id\") func a(id: Int) async throws", "no variable \"di\""),
        Row("@GET(\"a\") @Query func a() async throws", "names a parameter"),
        Row("@GET(\"a\") @Query(\"p\") @Default(\"q\", 1) func a(p: Int) async throws", "no parameter \"q\""),
        Row(
            "@POST(\"a\") @Body(\"b\") @RawBody(\"c\") func a(b: B, c: Data) async throws",
            "has one body"
        ),
        Row(
            "@GET(\"a\") @Body(\"b\") func a(b: B) async throws",
            "GET sends no content",
            "@POST(\"a\") @Body(\"b\") func a(b: B) async throws"
        ),
        Row("@POST(\"a\") @Body(\"b\") @Part(\"c\") func a(b: B, c: Data) async throws", "has no @Part"),
        Row(
            "@POST(\"a\") @Part(\"b\") @Field(\"c\") func a(b: Data, c: String) async throws",
            "its fields are parts too",
            "@POST(\"a\") @Part(\"b\") @Part(\"c\") func a(b: Data, c: String) async throws"
        ),
        Row("@POST(\"a\") @FormURLEncoded func a() async throws", "a form has fields"),
        Row(
            "@POST(\"a\") @Field(\"b\") @Field(\"b\", from: \"c\") func a(b: Int, c: Int) async throws",
            "\"b\" is given twice"
        ),
        Row("@GET(\"a\") @Query(\"p\") @Default(Names.p, 1) func a(p: Int) async throws", "@Default names a parameter"),
        Row(
            "@GET(\"{a}\") func a(a: Int) async throws; @GET(\"b/{a}\") func a(a: String) async throws",
            "another method is called a(a:) too"
        ),
        Row(
            "@GET(\"a\") @Authenticator(\"b\") @Unauthenticated func a() async throws",
            "do not go together",
            "@GET(\"a\") @Authenticator(\"b\") func a() async throws"
        ),
        Row(
            "@GET(\"a\") @Cached(.off) @Cached(maxAge: .zero) func a() async throws",
            "stands here twice",
            "@GET(\"a\") @Cached(.off) func a() async throws"
        ),
        Row(
            "@GET(\"a\") @Progress(\"p\") func a(p: Int) async throws",
            "told to a ProgressHandler",
            "@GET(\"a\") @Progress(\"p\") func a(p: ProgressHandler?) async throws"
        ),
        Row("@GET(\"a\") @Headers([\"A\": \"1\", \"a\": \"2\"]) func a() async throws", "given twice"),
        Row("@GET(\"a\") @Headers([\"A b\": \"1\"]) func a() async throws", "no name of a header field"),
        Row("@GET(\"a\") @Headers([\"A\": \"1\\n2\"]) func a() async throws", "no value of a header field"),
        Row("@GET(\"a\") @Headers([\"A\": \"{b}\"]) func a() async throws", "no parameter \"b\""),
        Row("@GET(\"a\") @Headers([\"A\": Keys.b]) func a() async throws", "as strings"),
        Row("@GET(\"a\") @Headers(Keys.all) func a() async throws", "write the header fields out"),
        Row("@GET(\"{b}\") @Headers([\"A\": \"{b}\"]) func a(b: Int?) async throws", "A cannot do without it"),
        Row("@GET(\"a\") @Cached(maxAge: .zero, identifier: \"a-{b}\") func a() async throws", "no parameter \"b\""),
        Row("@GET(\"a\") @Cached(maxAge: .zero, identifier: Keys.a) func a() async throws", "identifier as a string"),
        Row("@GET(\"a\") @Cached(maxAge: .zero, offline: Keys.b) func a() async throws", "write true or false"),
        Row("@GET(\"a\") func a()", "async throws", "@GET(\"a\") func a() async throws"),
        Row("@GET(\"a\") func a() async -> Int", "async throws", "@GET(\"a\") func a() async throws -> Int"),
        Row("@GET(\"a\") func a() async throws(MyError)", "without a type"),
        Row("@GET(\"a\") func a() async throws -> (Int, Int)", "cannot be made a (Int, Int)"),
        Row("@GET(\"a\") func a() async throws -> any P", "cannot be made a any P"),
        Row("@GET(\"a\") static func a() async throws", "no static method", "@GET(\"a\") func a() async throws"),
        Row("@GET(\"a\") func a<T>() async throws", "no generic parameters"),
        Row(
            "@GET(\"a\") @Query(\"p\") func a(p: inout Int) async throws",
            "takes values",
            "@GET(\"a\") @Query(\"p\") func a(p: Int) async throws"
        ),
        Row("@GET(\"a\") @Query(\"p\") func a(p: Int...) async throws", "as an array"),
        Row(
            "@GET(\"a\") @Timeout(.seconds(1)) @Timeout(.seconds(2)) func a() async throws",
            "stands here twice",
            "@GET(\"a\") @Timeout(.seconds(1)) func a() async throws"
        ),
        Row("var a: Int { get }", "declares methods alone", ""),
    ]

    private static func mistakes(in source: String, protocolKeyword: String = "protocol") -> [Mistake] {
        let file = Parser.parse(source: "@Service(base: \"https://a.example\") \(protocolKeyword) S {\n\(source)\n}")
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

    @Test("Each is told at its place, and its first fix mends it", arguments: rows)
    func mistake(row: Row) throws {
        let found = Self.mistakes(in: row.source)
        let mistake = try #require(found.first { $0.text.contains(row.says) }, "\(found.map(\.text))")
        #expect(mistake.diagnostic.message == mistake.text && mistake.diagnostic.fixIts.count == mistake.fixes.count)
        guard let fixed = row.fixed else { return }
        let text = Self.applying(try #require(mistake.fixes.first))
        #expect(text == fixed)
        #expect(!Self.mistakes(in: text).contains { $0.text == mistake.text }, "the fix leaves the mistake")
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
#endif
