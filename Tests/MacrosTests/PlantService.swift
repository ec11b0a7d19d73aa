#if AllTests && Macros
import Foundation
import HTTPChainMacros

struct Plant: Codable, Hashable, Sendable {
    var id: Int
    var name: String
}

/// An attribute of the tests' own, which a request processor reads.
enum Zone: RequestOption {
    static var defaultValue: String { "none" }
    static func isHarmless(_ value: Value) -> Bool { true }
}

@Service(base: "https://api.example.com/v2/")
protocol PlantService {
    @GET("plants/{id}")
    func plant(id: Int) async throws -> Plant

    @GET("plants") @Query("name", "page") @Query("sort_by", from: "order") @Default("page", 1)
    func search(name: String, page: Int, order: String?) async throws -> [Plant]

    @POST("plants") @Body("plant") @Header("X-Request-ID", from: "id") @Gzip @Retry(idempotencyKey: true)
    func create(_ plant: Plant, id: UUID) async throws -> Plant

    @PUT("plants/{plantID}/note") @Path("plantID", from: "id") @RawBody("text")
    @Headers(["X-Zone": "{zone}/%%0%%", "Accept": "text/plain"])
    func note(id: Int, text: String, zone: String) async throws -> String

    @POST("sessions") @Field("user") @Field("pass_word", from: "password") @FormURLEncoded @Authentication(false)
    func signIn(user: String, password: String) async throws

    @PATCH("plants/{id}") @Field("name") @RootKey("plant") @KeyPath("data.plant")
    func rename(id: Int, to name: String) async throws -> Plant

    @POST("photos") @Part("photo", "tags") @Part("title", from: "caption") @Progress("progress")
    func upload(photo: Data, caption: String, tags: [String], progress: ProgressHandler?) async throws

    @DELETE("plants/{id}") @Statuses(only: 200, 204, 404)
    func delete(id: Int) async throws

    @GET("export/{year}") @Caching(maxAge: .seconds(3600), offline: true, identifier: "export-{year}")
    @Timeout(.seconds(90))
    @Retry(.never)
    func export(year: Int) async throws -> TemporaryFile

    @GET("plants/{id}") @Statuses(adding: 404) @Serializer(false)
    func raw(_ id: Int) async throws -> Response

    @GET("zones") @Option(Zone.self, "north") @Modified({ $0.callTags("zones") }) @Logged(false) @Change("change")
    func zones(change: (@Sendable (Request) -> Request)?) async throws -> [String]?

    @GET @Query("query", "path")
    func root(query: String, path: String) async throws -> Data
}

struct Leaf: Resource, Hashable {
    static let path = "leaves/{id}"
    var id: Int
    var color: String
}

struct LeafPage: Decodable, Hashable, Sendable {
    var leaves: [Leaf]
    var next: String?
}

/// A service whose annotations hold for all of its methods, with the results that are sequences and records.
@Service
@Headers(["X-Zone": "north", "Accept": "application/json"])
@Authentication(by: "garden")
@Statuses(only: 200, 404)
@Option(Zone.self, "north")
@Tags("leaves")
protocol LeafService {
    @POST("fields") @Field("for") @RootKey("leaf")
    func fields(`for`: String) async throws

    @GET("leaves/%%0%%/{side}") @Headers(["X-Zone": "south"]) @Authentication(false)
    func leaf(id: Int, side: String) async throws -> ResourceRecord<Leaf>

    @GET("leaves{?color,size}") @Statuses(adding: 304) @Tags("list")
    func list(color: String?, size: Int?) async throws -> [Leaf]

    @GET("leaves") @Query("color") @Paged(by: .linkHeader())
    func pages(color: String) async throws -> PageSequence<[Leaf]>

    @GET("pages") @Paged(by: .nextURL { (page: LeafPage) in page.next })
    func book() async throws -> PageSequence<LeafPage>

    @GET("fallen") @Statuses(only: 200)
    func fallen() async throws -> JSONValues<Leaf>

    @GET("falling") @Query("since") @Header("Accept", from: "type")
    func falling(since: Int, type: String) async throws -> EventStream<Leaf>

    @POST("ask") @RawBody("text") @EventOptions(.untilDone)
    func ask(_ text: String) async throws -> EventStream<ServerSentEvent>

    @POST("press") @Multipart(boundary: "leaf") @Part("in", "default")
    func `repeat`(_ `in`: String, `default`: Int) async throws -> Request.Calls?
}

extension Request {
    /// A type whose name is that of one that is made.
    struct Calls: Decodable, Sendable, Hashable {
        var count: Int
    }
}
#endif
