#if AllTests && Macros
import Foundation
import HTTPChainMacros
import HTTPChainOData

/// Declarations of what no other service of these tests has, so that the compiler sees each annotation in one of them.
@Service(base: "https://every.example")
protocol EveryAnnotation {
    @HEAD("head")
    func head() async throws

    @OPTIONS("options") @Header("tenant")
    func options(tenant: String) async throws

    @QUERY("query") @Body("question") @Serializer("form") @KeyPath("plants")
    func query(_ question: Plant) async throws -> [Plant]

    @GET("hedged") @Hedging(HedgingPolicy(after: .fixed(.milliseconds(5)), attempts: 3))
    func hedged() async throws

    @GET("found") @OData("query")
    func found(query: ODataQuery<ODataAnyEntity>) async throws -> [Plant]

    @GET("apart") @Coalescing(false)
    func apart() async throws

    @GET("heavy") @RateLimit(weight: 5)
    func heavy() async throws

    @DELETE("invalidating") @Caching(invalidating: .identifier("a"), .identifierPrefix("b-"))
    func invalidating() async throws

    @GET("handled") @ErrorHandlers(only: [.fallback([Plant](), for: [404])])
    func handled() async throws -> [Plant]

    @GET("refreshed") @Caching(CacheSettings(use: .refresh, ignoredQuery: .named(["page"]), classification: "plants"))
    func refreshed() async throws

    @POST("told") @RawBody("bytes") @Progress("progress") @Change("change")
    func told(
        bytes: Data,
        progress: @escaping ProgressHandler,
        change: @escaping @Sendable (Request) -> Request
    ) async throws
}
#endif
