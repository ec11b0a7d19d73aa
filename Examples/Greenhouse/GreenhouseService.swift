#if Macros
import Foundation
import HTTPChainMacros

struct Bed: Codable, Hashable, Sendable {
    var id: Int
    var crop: String
}

struct Reading: Codable, Hashable, Sendable {
    var celsius: Double
}

struct Entry: Codable, Hashable, Sendable {
    var what: String
}

/// The declaration of the whole client.
@Service
@Headers(["Accept": "application/json"])
protocol GreenhouseService {
    @GET("beds/{id}")
    func bed(id: Int) async throws -> Bed

    @GET("beds") @Query("crop") @Paged(by: .linkHeader())
    func beds(crop: String?) async throws -> PageSequence<[Bed]>

    @POST("beds") @Body("bed") @Header("Idempotency-Key", from: "key") @Retry(idempotencyKey: true)
    func add(_ bed: Bed, key: UUID) async throws -> Bed

    @POST("photos") @Part("photo", "caption") @Progress("progress")
    func upload(photo: Data, caption: String, progress: ProgressHandler?) async throws

    @DELETE("beds/{id}") @Statuses(adding: 404)
    func remove(id: Int) async throws

    @GET("log") @Headers(["Accept": "application/x-ndjson"])
    func log() async throws -> JSONValues<Entry>

    @GET("readings") @Headers(["Accept": "text/event-stream"])
    func readings() async throws -> EventStream<Reading>
}

/// Creates the chain that the calls go through.
func greenhouseChain(base: String, over transport: some Transport) throws -> Chain {
    try Chain(transport: transport) {
        ProgressMiddleware()
        TimeoutMiddleware(.seconds(30))
        SerializerMiddleware(.json)
        StatusValidationMiddleware()
        URLBuilderMiddleware(base: base)
        HeadersMiddleware()
        MultipartMiddleware()
        RetryMiddleware()
    }
}
#endif
