// Mistakes in declarations, names that are guessed, and a switch that forgets the cases of later versions, which `snippets mistakes` has the
// compiler find: below each line stand a caret for each error, where the compiler points, the beginning of what it says,
// and in brackets the fixes that it offers. Nothing else in this file is an error.
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainHeaders
import HTTPChainInMemory
import HTTPChainMacros
import HTTPChainPagination
import HTTPChainSerializer

struct User: Codable, Sendable {}

@Service(base: "https://api.example.com/v2")
protocol Paths {
    @GET("users/{id}") func variable() async throws -> User
    //   ^ error: the path has the variable "id", and the method no such parameter [add the parameter id]
    @GET("users\\{id}") func backslash(id: Int) async throws -> User
    //   ^ error: a path has no backslash [write /]
    @GET("users?page=1") func query() async throws -> [User]
    //   ^ error: the query is no part of the path; declare parameters with @Query [remove the query]
    @GET("users/{id}") func optional(id: Int?) async throws -> User
    //                                   ^ error: a path cannot do without "id": it is not optional [write Int]
    @GET("users/{id}/{id}") func twice(id: Int) async throws -> User
    //   ^ error: the variable "id" stands twice in the path [write users/{id}/{id2}]
    @GET("users/{id}") @Query("id") func sentTwice(id: Int) async throws -> User
    //                        ^ error: "id" is a variable of the path: @Query would use it twice [remove @Query]
}

@Service(base: "https://api.example.com/v2")
protocol Parameters {
    @GET("users") func unused(page: Int) async throws -> [User]
    //                        ^ error: the parameter "page" is sent nowhere [send it in the query]
    @GET("users") @Query("pgae") func misspelt(page: Int) async throws -> [User]
    //                   ^ error: there is no parameter "pgae"; there are page [write "page"]
    //                                         ^ error: the parameter "page" is sent nowhere [send it in the query]
    @POST("users") @Body("user") @RawBody("bytes") func bodies(user: User, bytes: Data) async throws
    //                           ^ error: a call has one body [remove @RawBody]
    @GET("users") @Body("user") func content(user: User) async throws
    //            ^ error: GET sends no content [write @POST]
    @POST("photos") @Body("user") @Part("photo") func parts(user: User, photo: Data) async throws
    //                            ^ error: a call with @Body has no @Part: write all that is sent in one way [remove @Part]
}

@Service(base: "https://api.example.com/v2")
@Headers(["Accept": "text/plain", "accept": "application/json"])
//                                ^ error: the header field accept is given twice [remove "accept"]
protocol Fields {
    @GET("users") @Headers(["X-Zone": "1"]) @Header("x-zone", from: "zone") func twice(zone: String) async throws
    //                                                              ^ error: the header field x-zone is given twice [remove @Headers; remove @Header]
    @GET("users") @Headers(["X-Zone": "{zone}"]) func unknown() async throws
    //                      ^ error: there is no parameter "zone" for the value of X-Zone
}

@Service(base: "https://api.example.com/v2")
protocol Shapes {
    @GET("users") func nothing() -> [User]
    //                 ^ error: a call is "async throws": it waits, and may fail [write async throws]
    @GET("users") func tuple() async throws -> (User, User)
    //                                         ^ error: a response cannot be made a (User, User); return a type [return Response; return Data]
    @GET("users") func dictionary() async throws -> [String: Any]?
    //                                                       ^ error: a response cannot be made a Any [return Response; return Data]
    @POST("users") @Body("value") func generic<T: Encodable & Sendable>(value: T) async throws
    //                                        ^ error: a call has no generic parameters: its request is a type of its own
    var count: Int { get }
    // ^ error: a service declares methods alone [remove it]
}

let host = "api.example.com"

@Service(base: "https://\(host)")
// ^ error: write the base as a string, without interpolation [leave it to the chain]
protocol Bases {
    @GET("users") func users() async throws -> [User]
}

@Service
// ^ error: @Service stands on a protocol
struct Structure {}

func growing(_ version: ConnectionSettings.TLSVersion) -> String {
    switch version {
    // ^ error: switch covers known cases, but 'ConnectionSettings.TLSVersion' may have additional unknown values [handle unknown values using "@unknown default"]
    case .tls12: "1.2"
    case .tls13: "1.3"
    }
}

func guessedHeaders(_ text: String, _ url: URL) {
    _ = Request.get(text, headers: ["X-Request-ID": "42"])
    //          ^ error: 'get(_:path:query:headers:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.get(url, headers: ["X-Request-ID": "42"])
    //          ^ error: 'get(_:path:query:headers:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.get(text, path: ["id": 7], query: ["page": 2], headers: ["X-Request-ID": "42"])
    //          ^ error: 'get(_:path:query:headers:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.delete(text, headers: ["X-Request-ID": "42"])
    //          ^ error: 'delete(_:path:query:headers:body:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.post(text, headers: ["X-Request-ID": "42"], body: "oak")
    //          ^ error: 'post(_:path:query:headers:body:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.post(text, headers: ["X-Request-ID": "42"], json: ["name": "oak"])
    //          ^ error: 'post(_:path:query:headers:json:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.put(text, headers: ["X-Request-ID": "42"], body: "oak")
    //          ^ error: 'put(_:path:query:headers:body:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.patch(text, headers: ["X-Request-ID": "42"], body: "oak")
    //          ^ error: 'patch(_:path:query:headers:body:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request(.get, text, headers: ["X-Request-ID": "42"])
    //  ^ error: 'init(_:_:path:query:headers:body:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Response(.ok, headers: ["X-Request-ID": "42"])
    //  ^ error: 'init(_:headers:body:)' is unavailable: write HTTPFields(["X-Name": "value"]) if names are text
    _ = Request.get(text).headers(["X-Request-ID": "42"])
    //                    ^ error: 'headers' is unavailable: write .headers(.set("X-Name", to: "value"))
    _ = Request.get(text).headers([.accept: "text/plain"])
    //                    ^ error: 'headers' is unavailable: write .headers(.set(.accept, to: "value"))
    _ = Response(.ok).headers[.link]
    //                         ^ error: 'link' is unavailable: write headers["Link"], or follow pages with .linkHeader()
}

func guessedReplies(_ transport: InMemoryTransport, _ response: Response) {
    transport.enqueue(response)
    //        ^ error: 'enqueue(_:times:)' is unavailable: write the reply without its type: .status(500), try .json(value)
    transport.enqueue { _ in .status(500) }
    //        ^ error: 'enqueue(_:times:)' is unavailable: give the closure to a route: on(nil, "/*", times: 1) { request in … }
}

func guessedBodies(_ chunks: AsyncStream<Data>, _ bytes: AsyncStream<UInt8>) {
    _ = HTTPBody.stream(chunks)
    //           ^ error: 'stream(_:length:)' is unavailable: use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry
    _ = HTTPBody.stream(chunks, length: 7)
    //           ^ error: 'stream(_:length:)' is unavailable: use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry
    _ = HTTPBody.stream(length: 7, chunks)
    //           ^ error: 'stream(length:_:)' is unavailable: use .once(length:chunks:) for a sequence of Data, or .replayable(length:) { … } if it can be made again
    _ = HTTPBody.stream { chunks }
    //           ^ error: 'stream(_:length:)' is unavailable: use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry
    _ = HTTPBody(chunks)
    //  ^ error: 'init(_:length:)' is unavailable: use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry
    _ = HTTPBody(bytes)
    //  ^ error: 'init(_:length:)' is unavailable: use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry
    _ = HTTPBody(chunks, length: 7)
    //  ^ error: 'init(_:length:)' is unavailable: use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry
    _ = HTTPBody(length: 7, chunks)
    //  ^ error: 'init(length:_:)' is unavailable: use .once(length:chunks:) for a sequence of Data, or .replayable(length:) { … } if it can be made again
    _ = HTTPBody(length: 7) { chunks }
    //  ^ error: 'init(length:_:)' is unavailable: use .once(length:chunks:) for a sequence of Data, or .replayable(length:) { … } if it can be made again
}

func guessedCoders(_ decoder: JSONDecoder, _ failure: CallFailure) {
    _ = SerializerMiddleware(.json(decoder: decoder))
    //                        ^ error: 'json(encoder:decoder:)' is unavailable: set the decoder that is made for each value: .json(decoder: { $0… })
    _ = SerializerMiddleware(.json(encoder: JSONEncoder()))
    //                        ^ error: 'json(encoder:)' is unavailable: set the encoder that is made for each value: .json(encoder: { $0… })
    _ = SerializerMiddleware(.json(encoder: JSONEncoder(), decoder: decoder))
    //                        ^ error: 'json(encoder:decoder:)' is unavailable: set the decoder that is made for each value: .json(decoder: { $0… })
    _ = failure.json
    //          ^ error: 'json' is unavailable: use decode(_:) with a type that is Decodable, or text
}

func guessedTokens() {
    _ = BearerAuthMiddleware(.asking { context in AccessToken("t") }, for: "https://api.example.com")
    //                        ^ error: 'asking' is unavailable: write a closure with both arguments: .asking { old, context in … }
}

func guessedTime(_ clock: any TimeSource) throws {
    _ = clock.now
    //        ^ error: 'now' is unavailable: use elapsed to measure time, or date for the wall clock
    _ = ChainEnvironment.live.time.now
    //                             ^ error: 'now' is unavailable: use elapsed to measure time, or date for the wall clock
    _ = try Chain([], transport: FailingTransport(), environment: .system)
    //                                                             ^ error: 'system' has been renamed to 'live'
    _ = try Chain([], transport: FailingTransport(), environment: .default)
    //                                                             ^ error: 'default' has been renamed to 'live'
}

struct FailingTransport: Transport {
    var capabilities: TransportCapabilities { [] }
    func send(_ request: consuming Request) async throws -> Response { throw TransportError(.connectionLost) }
}
