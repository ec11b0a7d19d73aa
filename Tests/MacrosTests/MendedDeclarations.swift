#if AllTests && Macros
import Foundation
import HTTPChainMacros

// What the fixes make of the declarations in DeclarationMistakes.swift, for the compiler; MistakeTests sees that none is missing.

private struct B: Codable, Sendable {}

@Service(base: "https://a.example")
private protocol Mended1 {
    @GET("a") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended2 {
    @GET("a/b") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended3 {
    @GET("a/{id}") func a(id: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended4 {
    @GET("{id}/{id2}") func a(id: Int, id2: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended5 {
    @GET("{x}") func a(x: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended6 {
    @GET("{id}") func a(id: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended7 {
    @GET("{id}") @Query("page") func a(page: Int, id: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended8 {
    @GET("{id}") func a(id: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended9 {
    @GET("a") @Query("page") func a(page: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended10 {
    @GET("a") @Query("p") func a(p: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended11 {
    @GET("a") @Query("p") @Default("p", 1) func a(p: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended12 {
    @POST("a") @Body("b") @Query("c") func a(b: B, c: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended13 {
    @POST("a") @Body("b") func a(b: B) async throws
}

@Service(base: "https://a.example")
private protocol Mended14 {
    @POST("a") @Part("b") @Part("c") func a(b: Data, c: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended15 {
    @POST("a") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended16 {
    @POST("a") @Field("b") @Field("c") func a(b: Int, c: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended17 {
    @GET("{a}") func a(a: Int) async throws
    @GET("b/{a}") func a2(a: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended18 {
    @GET("a") @Authentication(by: "b") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended19 {
    @GET("a") @Caching(.off) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended20 {
    @GET("a") @Progress("p") func a(p: ProgressHandler?) async throws
}

@Service(base: "https://a.example")
private protocol Mended21 {
    @GET("a") @Headers(["A": "1"]) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended22 {
    @GET("a") @Headers(["A-b": "1"]) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended23 {
    @GET("{b}") @Headers(["A": "{b}"]) func a(b: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended24 {
    @GET("a") @Caching(maxAge: .zero, offline: true) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended25 {
    @GET("a") func a() async throws -> Int
}

@Service(base: "https://a.example")
private protocol Mended26 {
    @GET("a") func a() async throws -> Response
}

@Service(base: "https://a.example")
private protocol Mended27 {
    @GET("a") func a() async throws -> Data
}

@Service(base: "https://a.example")
private protocol Mended28 {
    @GET("a") @Query("p") func a(p: [Int]) async throws
}

@Service(base: "https://a.example")
private protocol Mended29 {
    @GET("a") @Timeout(.seconds(1)) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended30 {
}

@Service(base: "https://a.example")
private protocol Mended31 {
    @GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<[Int]>
}

@Service(base: "https://a.example")
private protocol Mended32 {
    @GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<B>
}

@Service(base: "https://a.example")
private protocol Mended33 {
    @GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<ServerSentEvent>
}

@Service(base: "https://a.example")
private protocol Mended34 {
    @GET("{id}/b") func a(id: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended35 {
    @GET("a") @Headers(["A": "1", "B": "3"]) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended36 {
    @GET("a") @Header("X", from: "b") @Query("c") func a(b: Int, c: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended37 {
    @GET("a") @Header("x", from: "b") func a(b: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended38 {
    @GET("a") @Headers(["X": "1"]) @Query("b") func a(b: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended39 {
    @GET("a") @Headers(["Y": "2"]) @Header("x", from: "b") func a(b: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended40 {
    @GET("a") @Headers(["X": "1", "Y": "2"]) @Query("b") func a(b: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended41 {
    @GET("a") @Header("A-b", from: "b") func a(b: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended42 {
    @GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<Data>
}

@Service(base: "https://a.example")
private protocol Mended43 {
    @GET("a") func a() async throws -> EventStream<ServerSentEvent>
}

@Service(base: "https://a.example")
private protocol Mended44 {
    @GET("{id}") @Query("page") func a(id: Int, page: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended45 {
    @GET("{x}") @Path("x", from: "id") func a(id: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended46 {
    @GET("a") @Header("p") @Query("q") func a(p: Int, q: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended47 {
    @GET("a") @Query("b") @Query("c") func a(b: Int, c: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended48 {
    @GET("a") @Query("c") @Query("b") func a(b: Int, c: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended49 {
    @GET("a") @Query("x", from: "b") @Query("c") func a(b: Int, c: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended50 {
    @GET("a") @Reserved("b") @Reserved("c") func a(b: Int, c: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended51 {
    @GET("a") @Query("c", from: "b") @Query("b", from: "c") @Query("d") func a(b: Int, c: Int, d: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended52 {
    @POST("a") @Query("page") func a(page: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended53 {
    @POST("a") @Body("page") func a(page: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended54 {
    @POST("a") @Body("b") @Query("page") func a(b: B, page: Int) async throws
}

@Service
private protocol Mended55 {
    @GET("a") func a() async throws
}

@Service @Gzip
private protocol Mended56 {
    @GET("a") func a() async throws
}

@Service @Authentication(by: "b")
private protocol Mended57 {
    @GET("a") func a() async throws
}

@Service @Timeout(nil)
private protocol Mended58 {
    @GET("a") func a() async throws
}

@Service @Headers(["A": "1"])
private protocol Mended59 {
    @GET("a") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended60 {
    @GET("a") @Progress("p") func a(p: @escaping ProgressHandler) async throws
}

@Service(base: "https://a.example")
private protocol Mended61 {
    @GET("a") @Change("c") func a(c: @escaping @Sendable (Request) -> Request) async throws
}

@Service(base: "https://a.example")
private protocol Mended62 {
    @GET("/a") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended63 {
    @GET("a") func a() async throws -> HTTPBody
}

@Service(base: "https://a.example")
private protocol Mended64 {
    @GET("a") func a() async throws -> JSONValues<Int>
}

@Service(base: "https://a.example")
private protocol Mended65 {
    @GET("a") func a() async throws -> TemporaryFile
}
#endif
