#if Macros
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
    @GET("{x}") func a(x: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended5 {
    @GET("{id}") func a(id: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended6 {
    @GET("{id}") @Query("page") func a(page: Int, id: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended7 {
    @GET("{id}") func a(id: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended8 {
    @GET("a") @Query("page") func a(page: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended9 {
    @GET("a") @Query("p") func a(p: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended10 {
    @GET("a") @Query("p") @Default("p", 1) func a(p: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended11 {
    @POST("a") @Body("b") @Query("c") func a(b: B, c: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended12 {
    @POST("a") @Body("b") func a(b: B) async throws
}

@Service(base: "https://a.example")
private protocol Mended13 {
    @POST("a") @Part("b") @Part("c") func a(b: Data, c: String) async throws
}

@Service(base: "https://a.example")
private protocol Mended14 {
    @POST("a") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended15 {
    @GET("a") @Authenticator("b") func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended16 {
    @GET("a") @Cached(.off) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended17 {
    @GET("a") @Progress("p") func a(p: ProgressHandler?) async throws
}

@Service(base: "https://a.example")
private protocol Mended18 {
    @GET("{b}") @Headers(["A": "{b}"]) func a(b: Int) async throws
}

@Service(base: "https://a.example")
private protocol Mended19 {
    @GET("a") @Cached(maxAge: .zero, offline: true) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended20 {
    @GET("a") func a() async throws -> Int
}

@Service(base: "https://a.example")
private protocol Mended21 {
    @GET("a") @Query("p") func a(p: [Int]) async throws
}

@Service(base: "https://a.example")
private protocol Mended22 {
    @GET("a") @Timeout(.seconds(1)) func a() async throws
}

@Service(base: "https://a.example")
private protocol Mended23 {
    @GET("a") @Paged(by: .linkHeader()) func a() async throws -> PageSequence<[Int]>
}

@Service(base: "https://a.example")
private protocol Mended24 {
    @GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<B>
}

@Service(base: "https://a.example")
private protocol Mended25 {
    @GET("a") @EventOptions(.untilDone) func a() async throws -> EventStream<ServerSentEvent>
}

@Service(base: "https://a.example")
private protocol Mended26 {
    @GET("{id}/b") func a(id: Int) async throws
}
#endif
