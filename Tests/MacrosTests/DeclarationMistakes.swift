#if AllTests && Macros
import Testing

/// A mistake of a declaration: what is said, at which piece of the source, and what its fixes make of it.
struct DeclarationMistake: CustomTestStringConvertible, Sendable {
    private static let service = #"@Service(base: "https://a.example")"#

    /// The protocol.
    var source: String
    var says: String
    /// What the compiler points at.
    var at: String
    /// The protocol after each fix of the mistake, and after the first fix of each mistake that is left; none where no fix
    /// can know what is meant.
    var mended: [String]

    /// A mistake in a method, or in what stands on the protocol.
    ///
    /// What is mended is a whole protocol where it begins with `@Service`, and otherwise what stands in it.
    init(on service: String = service, _ members: String, _ says: String, at: String, mended: [String] = []) {
        source = Self.protocol(service, members)
        self.says = says
        self.at = at
        self.mended = mended.map { $0.hasPrefix("@Service") ? $0 : Self.protocol(Self.service, $0) }
    }

    private static func `protocol`(_ service: String, _ members: String) -> String {
        "\(service) protocol S { \(members.isEmpty ? "" : members + " ")}"
    }

    var testDescription: String { "\(says): \(source)" }
}

extension DeclarationMistake {
    static let all: [DeclarationMistake] = [
        DeclarationMistake(
            #"@GET("a") @Query("b", "c", from: "d") func a(c: Int, d: Int) async throws"#,
            "from: renames one parameter",
            at: #""d""#
        ),
        DeclarationMistake(
            "func a() async throws",
            "has no method and path",
            at: "a",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @POST("b") func a() async throws"#,
            "has one method",
            at: #"@POST("b")"#,
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a\\b") func a() async throws"#,
            "no backslash",
            at: #""a\\b""#,
            mended: [#"@GET("a/b") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a?b=1") func a() async throws"#,
            "no part of the path",
            at: #""a?b=1""#,
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a#b") func a() async throws"#,
            "fragment is never sent",
            at: #""a#b""#,
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("//a") func a() async throws"#,
            "one slash at most",
            at: #""//a""#,
            mended: [#"@GET("/a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a/{id") func a(id: Int) async throws"#,
            "braces of the path",
            at: #""a/{id""#,
            mended: [#"@GET("a/{id}") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{id}/{id}") func a(id: Int) async throws"#,
            "stands twice in the path",
            at: #""{id}/{id}""#,
            mended: [#"@GET("{id}/{id2}") func a(id: Int, id2: String) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("\(x)") func a() async throws"#,
            "without interpolation",
            at: #""\(x)""#,
            mended: [#"@GET("{x}") func a(x: String) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{id}") func a() async throws"#,
            "no such parameter",
            at: #""{id}""#,
            mended: [#"@GET("{id}") func a(id: String) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{id}") @Query("page") func a(page: Int) async throws"#,
            "no such parameter",
            at: #""{id}""#,
            mended: [#"@GET("{id}") @Query("page") func a(page: Int, id: String) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{id}") func a(id: Int?) async throws"#,
            "not optional",
            at: "Int?",
            mended: [#"@GET("{id}") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a(page: Int) async throws"#,
            #""page" is sent nowhere"#,
            at: "page: Int",
            mended: [#"@GET("a") @Query("page") func a(page: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("pgae") func a(page: Int) async throws"#,
            #"no parameter "pgae"; there are page"#,
            at: #""pgae""#,
            mended: [#"@GET("a") @Query("page") func a(page: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") @Header("p") func a(p: Int) async throws"#,
            "used by @Query already",
            at: #""p""#,
            mended: [#"@GET("a") @Query("p") func a(p: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{id}") @Path("di", from: "id") func a(id: Int) async throws"#,
            #"no variable "di""#,
            at: #""di""#,
            mended: [#"@GET("{id}") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query func a() async throws"#,
            "names a parameter",
            at: "@Query",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") @Default("q", 1) func a(p: Int) async throws"#,
            #"no parameter "q""#,
            at: #""q""#,
            mended: [#"@GET("a") @Query("p") @Default("p", 1) func a(p: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@POST("a") @Body("b") @RawBody("c") func a(b: B, c: String) async throws"#,
            "has one body",
            at: #"@RawBody("c")"#,
            mended: [#"@POST("a") @Body("b") @Query("c") func a(b: B, c: String) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Body("b") func a(b: B) async throws"#,
            "GET sends no content",
            at: #"@Body("b")"#,
            mended: [#"@POST("a") @Body("b") func a(b: B) async throws"#]
        ),
        DeclarationMistake(
            #"@POST("a") @Body("b") @Part("c") func a(b: B, c: String) async throws"#,
            "has no @Part",
            at: #"@Part("c")"#,
            mended: [#"@POST("a") @Body("b") @Query("c") func a(b: B, c: String) async throws"#]
        ),
        DeclarationMistake(
            #"@POST("a") @Part("b") @Field("c") func a(b: Data, c: String) async throws"#,
            "its fields are parts too",
            at: #"@Field("c")"#,
            mended: [#"@POST("a") @Part("b") @Part("c") func a(b: Data, c: String) async throws"#]
        ),
        DeclarationMistake(
            #"@POST("a") @FormURLEncoded func a() async throws"#,
            "a form has fields",
            at: "@FormURLEncoded",
            mended: [#"@POST("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@POST("a") @Field("b") @Field("b", from: "c") func a(b: Int, c: Int) async throws"#,
            #""b" is given twice"#,
            at: #""c""#,
            mended: [#"@POST("a") @Field("b") @Field("c") func a(b: Int, c: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") @Default(Names.p, 1) func a(p: Int) async throws"#,
            "@Default names a parameter",
            at: "@Default(Names.p, 1)",
            mended: [#"@GET("a") @Query("p") func a(p: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{a}") func a(a: Int) async throws; @GET("b/{a}") func a(a: String) async throws"#,
            "another method is called a(a:) too",
            at: "a",
            mended: [#"@GET("{a}") func a(a: Int) async throws; @GET("b/{a}") func a2(a: String) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Authentication(by: "b") @Authentication(false) func a() async throws"#,
            "stands here twice",
            at: "@Authentication(false)",
            mended: [#"@GET("a") @Authentication(by: "b") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Caching(.off) @Caching(maxAge: .zero) func a() async throws"#,
            "stands here twice",
            at: "@Caching(maxAge: .zero)",
            mended: [#"@GET("a") @Caching(.off) func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Progress("p") func a(p: Int) async throws"#,
            "told to a ProgressHandler",
            at: "Int",
            mended: [#"@GET("a") @Progress("p") func a(p: ProgressHandler?) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A": "1", "a": "2"]) func a() async throws"#,
            "given twice",
            at: #""a": "2""#,
            mended: [#"@GET("a") @Headers(["A": "1"]) func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A b": "1"]) func a() async throws"#,
            "no name of a header field",
            at: #""A b": "1""#,
            mended: [#"@GET("a") @Headers(["A-b": "1"]) func a() async throws"#]
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
            mended: [#"@GET("{b}") @Headers(["A": "{b}"]) func a(b: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Caching(maxAge: .zero, identifier: "a-{b}") func a() async throws"#,
            #"no parameter "b""#,
            at: #""a-{b}""#
        ),
        DeclarationMistake(
            #"@GET("a") @Caching(maxAge: .zero, identifier: Keys.a) func a() async throws"#,
            "identifier as a string",
            at: "Keys.a"
        ),
        DeclarationMistake(
            #"@GET("a") @Caching(maxAge: .zero, offline: Keys.b) func a() async throws"#,
            "write true or false",
            at: "Keys.b",
            mended: [#"@GET("a") @Caching(maxAge: .zero, offline: true) func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @KeyPath("b") func a() async throws -> HTTPBody"#,
            "@KeyPath has no effect: a HTTPBody is not decoded",
            at: #"@KeyPath("b")"#,
            mended: [#"@GET("a") func a() async throws -> HTTPBody"#]
        ),
        DeclarationMistake(
            #"@GET("a") @KeyPath("b") func a() async throws -> JSONValues<Int>"#,
            "@KeyPath has no effect",
            at: #"@KeyPath("b")"#,
            mended: [#"@GET("a") func a() async throws -> JSONValues<Int>"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Serializer("b") func a() async throws -> TemporaryFile"#,
            "@Serializer has no effect",
            at: #"@Serializer("b")"#,
            mended: [#"@GET("a") func a() async throws -> TemporaryFile"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a()"#,
            "async throws",
            at: "a",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async -> Int"#,
            "async throws",
            at: "a",
            mended: [#"@GET("a") func a() async throws -> Int"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws(MyError)"#,
            "without a type",
            at: "MyError",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> (Int, Int)"#,
            "cannot be made a (Int, Int)",
            at: "(Int, Int)",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> any P"#,
            "cannot be made a any P",
            at: "any P",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") static func a() async throws"#,
            "no static method",
            at: "static",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a<T>() async throws"#,
            "no generic parameters",
            at: "<T>",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") func a(p: inout Int) async throws"#,
            "takes values",
            at: "inout Int",
            mended: [#"@GET("a") @Query("p") func a(p: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p") func a(p: Int...) async throws"#,
            "as an array",
            at: "...",
            mended: [#"@GET("a") @Query("p") func a(p: [Int]) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Timeout(.seconds(1)) @Timeout(.seconds(2)) func a() async throws"#,
            "stands here twice",
            at: "@Timeout(.seconds(2))",
            mended: [#"@GET("a") @Timeout(.seconds(1)) func a() async throws"#]
        ),
        DeclarationMistake(
            "var a: Int { get }",
            "declares methods alone",
            at: "var a: Int { get }",
            mended: [""]
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
            mended: [#"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<[Int]>"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> [Int]"#,
            "pages are a PageSequence",
            at: "@Paged(by: .linkHeader())",
            mended: [#"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<[Int]>"#]
        ),
        DeclarationMistake(
            #"@GET("a") @EventOptions(.untilDone) func a() async throws -> B"#,
            "events are an EventStream",
            at: "@EventOptions(.untilDone)",
            mended: [#"@GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<B>"#]
        ),
        DeclarationMistake(
            #"@GET("a") @EventOptions(.untilDone) func a() async throws"#,
            "events are an EventStream",
            at: "@EventOptions(.untilDone)",
            mended: [#"@GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<ServerSentEvent>"#]
        ),
        DeclarationMistake(
            #"@POST("a") @Multipart func a() async throws"#,
            "a multipart form has parts",
            at: "@Multipart",
            mended: [#"@POST("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("\(id)/b") func a(id: Int) async throws"#,
            "without interpolation",
            at: #""\(id)/b""#,
            mended: [#"@GET("{id}/b") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A": "1", "a": "2", "B": "3"]) func a() async throws"#,
            "a is given twice",
            at: #""a": "2","#,
            mended: [#"@GET("a") @Headers(["A": "1", "B": "3"]) func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["A": "1"]) @Headers(["A": "2"]) func a() async throws"#,
            "A is given twice",
            at: #""A": "2""#,
            mended: [#"@GET("a") @Headers(["A": "1"]) func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Header("X", from: "b") @Header("x", from: "c") func a(b: Int, c: Int) async throws"#,
            "x is given twice",
            at: #""c""#,
            mended: [#"@GET("a") @Header("X", from: "b") @Query("c") func a(b: Int, c: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["X": "1"]) @Header("x", from: "b") func a(b: Int) async throws"#,
            "x is given twice",
            at: #""b""#,
            mended: [
                #"@GET("a") @Header("x", from: "b") func a(b: Int) async throws"#,
                #"@GET("a") @Headers(["X": "1"]) @Query("b") func a(b: Int) async throws"#,
            ]
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["X": "1", "Y": "2"]) @Header("x", from: "b") func a(b: Int) async throws"#,
            "x is given twice",
            at: #""b""#,
            mended: [
                #"@GET("a") @Headers(["Y": "2"]) @Header("x", from: "b") func a(b: Int) async throws"#,
                #"@GET("a") @Headers(["X": "1", "Y": "2"]) @Query("b") func a(b: Int) async throws"#,
            ]
        ),
        DeclarationMistake(
            #"@GET("a") @Header("A b", from: "b") func a(b: Int) async throws"#,
            "no name of a header field",
            at: #""b""#,
            mended: [#"@GET("a") @Header("A-b", from: "b") func a(b: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Headers(["": "1"]) func a() async throws"#,
            "no name of a header field",
            at: #""": "1""#
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> [any P]"#,
            "cannot be made a any P",
            at: "any P",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> [String: Any]"#,
            "cannot be made a Any",
            at: "Any",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> [AnyHashable: [Any]]"#,
            "cannot be made a Any",
            at: "Any",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> AnyObject?"#,
            "cannot be made a AnyObject",
            at: "AnyObject",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> [(Int, Int)]"#,
            "cannot be made a (Int, Int)",
            at: "(Int, Int)",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> [() -> Void]"#,
            "cannot be made a () -> Void",
            at: "() -> Void",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> Void?"#,
            "cannot be made a Void",
            at: "Void",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> Set<[Any]>"#,
            "cannot be made a Any",
            at: "Any",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> Swift.Array<(any P)?>"#,
            "cannot be made a any P",
            at: "any P",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> Int.Type"#,
            "cannot be made a Int.Type",
            at: "Int.Type",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> Encodable & Sendable"#,
            "cannot be made a Encodable & Sendable",
            at: "Encodable & Sendable",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> Int!"#,
            "cannot be made a Int!",
            at: "Int!",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> JSONValues<Any>"#,
            "cannot be made a Any",
            at: "Any",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> ResourceRecord<any P>"#,
            "cannot be made a any P",
            at: "any P",
            mended: [#"@GET("a") func a() async throws -> Response"#, #"@GET("a") func a() async throws -> Data"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<[Any]>"#,
            "cannot be made a Any",
            at: "Any",
            mended: [#"@GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<Data>"#]
        ),
        DeclarationMistake(
            #"@GET("a") func a() async throws -> EventStream<any P>"#,
            "cannot be made a any P",
            at: "any P",
            mended: [#"@GET("a") func a() async throws -> EventStream<ServerSentEvent>"#]
        ),
        DeclarationMistake(
            #"@GET("{id}") @Query("id") func a(id: Int) async throws"#,
            #""id" is a variable of the path"#,
            at: #""id""#,
            mended: [#"@GET("{id}") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{id}") @Query("id", "page") func a(id: Int, page: Int) async throws"#,
            "@Query would use it twice",
            at: #""id""#,
            mended: [#"@GET("{id}") @Query("page") func a(id: Int, page: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{id}") @Reserved("id") func a(id: Int) async throws"#,
            "@Reserved would use it twice",
            at: #""id""#,
            mended: [#"@GET("{id}") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{x}") @Path("x", from: "id") @Query("id") func a(id: Int) async throws"#,
            "used by @Path already",
            at: #""id""#,
            mended: [#"@GET("{x}") @Path("x", from: "id") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("{x}") @Query("id") @Path("x", from: "id") func a(id: Int) async throws"#,
            #""id" is a variable of the path"#,
            at: #""id""#,
            mended: [#"@GET("{x}") @Path("x", from: "id") func a(id: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Header("p") @Query("q", "p") func a(p: Int, q: Int) async throws"#,
            "used by @Header already",
            at: #""p""#,
            mended: [#"@GET("a") @Header("p") @Query("q") func a(p: Int, q: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("p", "p") func a(p: Int) async throws"#,
            "used by @Query already",
            at: #""p""#,
            mended: [#"@GET("a") @Query("p") func a(p: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("b") @Query("b", from: "c") func a(b: Int, c: Int) async throws"#,
            #"the query parameter "b" is given twice; several values are an array"#,
            at: #""c""#,
            mended: [#"@GET("a") @Query("b") @Query("c") func a(b: Int, c: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("b", from: "c") @Query("b") func a(b: Int, c: Int) async throws"#,
            #""b" is given twice"#,
            at: #""b""#,
            mended: [#"@GET("a") @Query("c") @Query("b") func a(b: Int, c: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("x", from: "b") @Query("x", from: "c") func a(b: Int, c: Int) async throws"#,
            #""x" is given twice"#,
            at: #""c""#,
            mended: [#"@GET("a") @Query("x", from: "b") @Query("c") func a(b: Int, c: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@POST("a") @Part("b") @Part("b", from: "c") func a(b: Data, c: String) async throws"#,
            #"the part "b" is given twice; several values are an array"#,
            at: #""c""#,
            mended: [#"@POST("a") @Part("b") @Part("c") func a(b: Data, c: String) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Reserved("b") @Reserved("b", from: "c") func a(b: Int, c: Int) async throws"#,
            #"the argument "b" is given twice"#,
            at: #""c""#,
            mended: [#"@GET("a") @Reserved("b") @Reserved("c") func a(b: Int, c: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Query("c", from: "b") @Query("b", from: "c") @Query("b", from: "d") func a(b: Int, c: Int, d: Int) async throws"#,
            #""b" is given twice"#,
            at: #""d""#,
            mended: [
                #"@GET("a") @Query("c", from: "b") @Query("b", from: "c") @Query("d") func a(b: Int, c: Int, d: Int) async throws"#
            ]
        ),
        DeclarationMistake(
            #"@POST("a") func a(page: Int) async throws"#,
            "sent nowhere",
            at: "page: Int",
            mended: [
                #"@POST("a") @Query("page") func a(page: Int) async throws"#,
                #"@POST("a") @Body("page") func a(page: Int) async throws"#,
            ]
        ),
        DeclarationMistake(
            #"@POST("a") @Body("b") func a(b: B, page: Int) async throws"#,
            "sent nowhere",
            at: "page: Int",
            mended: [#"@POST("a") @Body("b") @Query("page") func a(b: B, page: Int) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") class func a() async throws"#,
            "no class method",
            at: "class",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") mutating func a() async throws"#,
            "no mutating method",
            at: "mutating",
            mended: [#"@GET("a") func a() async throws"#]
        ),
        DeclarationMistake(
            #"@POST("a") @Body("b") func a<T: Encodable>(b: T) async throws"#,
            "no generic parameters",
            at: "<T: Encodable>"
        ),
        DeclarationMistake(
            on: #"@Service(base: Hosts.api)"#,
            #"@GET("a") func a() async throws"#,
            "write the base as a string",
            at: "@Service(base: Hosts.api)",
            mended: [#"@Service protocol S { @GET("a") func a() async throws }"#]
        ),
        DeclarationMistake(
            on: #"@Service(base: "https://\(host)") @Gzip"#,
            #"@GET("a") func a() async throws"#,
            "write the base as a string",
            at: #"@Service(base: "https://\(host)")"#,
            mended: [#"@Service @Gzip protocol S { @GET("a") func a() async throws }"#]
        ),
        DeclarationMistake(
            on: #"@Service @GET("b")"#,
            #"@GET("a") func a() async throws"#,
            "@GET stands on a method",
            at: #"@GET("b")"#,
            mended: [#"@Service protocol S { @GET("a") func a() async throws }"#]
        ),
        DeclarationMistake(
            on: #"@Service @Authentication(by: "b") @Authentication(false)"#,
            #"@GET("a") func a() async throws"#,
            "stands here twice",
            at: "@Authentication(false)",
            mended: [#"@Service @Authentication(by: "b") protocol S { @GET("a") func a() async throws }"#]
        ),
        DeclarationMistake(
            on: #"@Service @Timeout(nil) @Timeout(nil)"#,
            #"@GET("a") func a() async throws"#,
            "stands here twice",
            at: "@Timeout(nil)",
            mended: [#"@Service @Timeout(nil) protocol S { @GET("a") func a() async throws }"#]
        ),
        DeclarationMistake(
            on: #"@Service @Headers(["A": "1", "a": "2"])"#,
            #"@GET("a") func a() async throws"#,
            "a is given twice",
            at: #""a": "2""#,
            mended: [#"@Service @Headers(["A": "1"]) protocol S { @GET("a") func a() async throws }"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Progress("p") func a(p: ProgressHandler) async throws"#,
            "it is @escaping",
            at: "ProgressHandler",
            mended: [#"@GET("a") @Progress("p") func a(p: @escaping ProgressHandler) async throws"#]
        ),
        DeclarationMistake(
            #"@GET("a") @Change("c") func a(c: @Sendable (Request) -> Request) async throws"#,
            "it is @escaping",
            at: "@Sendable (Request) -> Request",
            mended: [#"@GET("a") @Change("c") func a(c: @escaping @Sendable (Request) -> Request) async throws"#]
        ),
    ]
}
#endif
