#if Macros
import Testing

/// A mistake of a declaration: what is said, at which piece of the source, and what its fixes make of it.
struct DeclarationMistake: CustomTestStringConvertible, Sendable {
    var source: String
    var says: String
    /// What the compiler points at.
    var at: String
    /// The declaration once the first fix of each mistake was applied; nil where no fix can know what is meant.
    var mended: String?

    init(_ source: String, _ says: String, at: String, mended: String? = nil) {
        self.source = source
        self.says = says
        self.at = at
        self.mended = mended
    }

    var testDescription: String { "\(says): \(source)" }
}

extension DeclarationMistake {
    static let all: [DeclarationMistake] = [
        DeclarationMistake(
            "func a() async throws",
            "has no method and path",
            at: "a",
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @POST("b") func a() async throws"#,
            "has one method",
            at: #"@POST("b")"#,
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a\\b") func a() async throws"#,
            "no backslash",
            at: #""a\\b""#,
            mended: #"@GET("a/b") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a?b=1") func a() async throws"#,
            "no part of the path",
            at: #""a?b=1""#,
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a#b") func a() async throws"#,
            "fragment is never sent",
            at: #""a#b""#,
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("/a") func a() async throws"#,
            "behind the base's slash",
            at: #""/a""#,
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a/{id") func a(id: Int) async throws"#,
            "braces of the path",
            at: #""a/{id""#,
            mended: #"@GET("a/{id}") func a(id: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("{id}/{id}") func a(id: Int) async throws"#,
            "stands twice in the path",
            at: #""{id}/{id}""#
        ),
        DeclarationMistake(
            #"@GET("\(x)") func a() async throws"#,
            "without interpolation",
            at: #""\(x)""#,
            mended: #"@GET("{x}") func a(x: String) async throws"#
        ),
        DeclarationMistake(
            #"@GET("{id}") func a() async throws"#,
            "no such parameter",
            at: #""{id}""#,
            mended: #"@GET("{id}") func a(id: String) async throws"#
        ),
        DeclarationMistake(
            #"@GET("{id}") @Query("page") func a(page: Int) async throws"#,
            "no such parameter",
            at: #""{id}""#,
            mended: #"@GET("{id}") @Query("page") func a(page: Int, id: String) async throws"#
        ),
        DeclarationMistake(
            #"@GET("{id}") func a(id: Int?) async throws"#,
            "not optional",
            at: "Int?",
            mended: #"@GET("{id}") func a(id: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") func a(page: Int) async throws"#,
            #""page" is sent nowhere"#,
            at: "page: Int",
            mended: #"@GET("a") @Query("page") func a(page: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Query("pgae") func a(page: Int) async throws"#,
            #"no parameter "pgae"; there are page"#,
            at: #""pgae""#,
            mended: #"@GET("a") @Query("page") func a(page: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") @Header("p") func a(p: Int) async throws"#,
            "used by @Query already",
            at: #""p""#,
            mended: #"@GET("a") @Query("p") func a(p: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("{id}") @Path("di", from: "id") func a(id: Int) async throws"#,
            #"no variable "di""#,
            at: #""di""#,
            mended: #"@GET("{id}") func a(id: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Query func a() async throws"#,
            "names a parameter",
            at: "@Query",
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") @Default("q", 1) func a(p: Int) async throws"#,
            #"no parameter "q""#,
            at: #""q""#,
            mended: #"@GET("a") @Query("p") @Default("p", 1) func a(p: Int) async throws"#
        ),
        DeclarationMistake(
            #"@POST("a") @Body("b") @RawBody("c") func a(b: B, c: String) async throws"#,
            "has one body",
            at: #"@RawBody("c")"#,
            mended: #"@POST("a") @Body("b") @Query("c") func a(b: B, c: String) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Body("b") func a(b: B) async throws"#,
            "GET sends no content",
            at: #"@Body("b")"#,
            mended: #"@POST("a") @Body("b") func a(b: B) async throws"#
        ),
        DeclarationMistake(
            #"@POST("a") @Body("b") @Part("c") func a(b: B, c: String) async throws"#,
            "has no @Part",
            at: #"@Part("c")"#,
            mended: #"@POST("a") @Body("b") @Query("c") func a(b: B, c: String) async throws"#
        ),
        DeclarationMistake(
            #"@POST("a") @Part("b") @Field("c") func a(b: Data, c: String) async throws"#,
            "its fields are parts too",
            at: #"@Field("c")"#,
            mended: #"@POST("a") @Part("b") @Part("c") func a(b: Data, c: String) async throws"#
        ),
        DeclarationMistake(
            #"@POST("a") @FormURLEncoded func a() async throws"#,
            "a form has fields",
            at: "@FormURLEncoded",
            mended: #"@POST("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@POST("a") @Field("b") @Field("b", from: "c") func a(b: Int, c: Int) async throws"#,
            #""b" is given twice"#,
            at: #""c""#
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") @Default(Names.p, 1) func a(p: Int) async throws"#,
            "@Default names a parameter",
            at: "@Default(Names.p, 1)",
            mended: #"@GET("a") @Query("p") func a(p: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("{a}") func a(a: Int) async throws; @GET("b/{a}") func a(a: String) async throws"#,
            "another method is called a(a:) too",
            at: "a"
        ),
        DeclarationMistake(
            #"@GET("a") @Authenticator("b") @Unauthenticated func a() async throws"#,
            "do not go together",
            at: "@Unauthenticated",
            mended: #"@GET("a") @Authenticator("b") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Cached(.off) @Cached(maxAge: .zero) func a() async throws"#,
            "stands here twice",
            at: "@Cached(maxAge: .zero)",
            mended: #"@GET("a") @Cached(.off) func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Progress("p") func a(p: Int) async throws"#,
            "told to a ProgressHandler",
            at: "Int",
            mended: #"@GET("a") @Progress("p") func a(p: ProgressHandler?) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A": "1", "a": "2"]) func a() async throws"#,
            "given twice",
            at: #""a": "2""#
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A b": "1"]) func a() async throws"#,
            "no name of a header field",
            at: #""A b": "1""#
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A": "1\n2"]) func a() async throws"#,
            "no value of a header field",
            at: #""A": "1\n2""#
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A": "{b}"]) func a() async throws"#,
            #"no parameter "b""#,
            at: #""A": "{b}""#
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A": Keys.b]) func a() async throws"#,
            "as strings",
            at: #""A": Keys.b"#
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(Keys.all) func a() async throws"#,
            "write the header fields out",
            at: "Keys.all"
        ),
        DeclarationMistake(
            #"@GET("{b}") @Headers(["A": "{b}"]) func a(b: Int?) async throws"#,
            "A cannot do without it",
            at: #""A": "{b}""#,
            mended: #"@GET("{b}") @Headers(["A": "{b}"]) func a(b: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Cached(maxAge: .zero, identifier: "a-{b}") func a() async throws"#,
            #"no parameter "b""#,
            at: #""a-{b}""#
        ),
        DeclarationMistake(
            #"@GET("a") @Cached(maxAge: .zero, identifier: Keys.a) func a() async throws"#,
            "identifier as a string",
            at: "Keys.a"
        ),
        DeclarationMistake(
            #"@GET("a") @Cached(maxAge: .zero, offline: Keys.b) func a() async throws"#,
            "write true or false",
            at: "Keys.b",
            mended: #"@GET("a") @Cached(maxAge: .zero, offline: true) func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") func a()"#,
            "async throws",
            at: "a",
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") func a() async -> Int"#,
            "async throws",
            at: "a",
            mended: #"@GET("a") func a() async throws -> Int"#
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws(MyError)"#,
            "without a type",
            at: "MyError",
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> (Int, Int)"#,
            "cannot be made a (Int, Int)",
            at: "(Int, Int)"
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> any P"#,
            "cannot be made a any P",
            at: "any P"
        ),
        DeclarationMistake(
            #"@GET("a") static func a() async throws"#,
            "no static method",
            at: "static",
            mended: #"@GET("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") func a<T>() async throws"#,
            "no generic parameters",
            at: "<T>"
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") func a(p: inout Int) async throws"#,
            "takes values",
            at: "inout Int",
            mended: #"@GET("a") @Query("p") func a(p: Int) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") func a(p: Int...) async throws"#,
            "as an array",
            at: "...",
            mended: #"@GET("a") @Query("p") func a(p: [Int]) async throws"#
        ),
        DeclarationMistake(
            #"@GET("a") @Timeout(.seconds(1)) @Timeout(.seconds(2)) func a() async throws"#,
            "stands here twice",
            at: "@Timeout(.seconds(2))",
            mended: #"@GET("a") @Timeout(.seconds(1)) func a() async throws"#
        ),
        DeclarationMistake(
            "var a: Int { get }",
            "declares methods alone",
            at: "var a: Int { get }",
            mended: ""
        ),
        DeclarationMistake(
            #"@GET("%%1%%") @Query("a") func a(a: Int) async throws"#,
            "there is no parameter 1",
            at: #""%%1%%""#
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> PageSequence<[Int]>"#,
            "where the next one is",
            at: "PageSequence<[Int]>",
            mended: #"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<[Int]>"#
        ),
        DeclarationMistake(
            #"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> [Int]"#,
            "pages are a PageSequence",
            at: "@Paged(by: .linkHeader())",
            mended: #"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<[Int]>"#
        ),
        DeclarationMistake(
            #"@GET("a") @EventOptions(.untilDone) func a() async throws -> B"#,
            "events are an EventStream",
            at: "@EventOptions(.untilDone)",
            mended: #"@GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<B>"#
        ),
        DeclarationMistake(
            #"@GET("a") @EventOptions(.untilDone) func a() async throws"#,
            "events are an EventStream",
            at: "@EventOptions(.untilDone)",
            mended: #"@GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<ServerSentEvent>"#
        ),
        DeclarationMistake(
            #"@POST("a") @Multipart func a() async throws"#,
            "a multipart form has parts",
            at: "@Multipart",
            mended: #"@POST("a") func a() async throws"#
        ),
        DeclarationMistake(
            #"@GET("\(id)/b") func a(id: Int) async throws"#,
            "without interpolation",
            at: #""\(id)/b""#,
            mended: #"@GET("{id}/b") func a(id: Int) async throws"#
        ),
    ]
}
#endif
