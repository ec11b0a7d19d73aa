#if AllTests && Macros
import Foundation
import HTTPChainMacros
import HTTPTypes

// What @Service makes of a whole declaration, as a source that is compiled: ExpansionTests compares both.
//
//     @Service(base: "https://api.example.com/v2")
//     protocol UserService {
//         @GET("users/{id}")
//         func user(id: Int) async throws -> User
//
//         @GET("users") @Query("name", "page") @Default("page", 1)
//         func search(name: String, page: Int) async throws -> [User]
//
//         @POST("users") @Gzip @Body("user") @Header("X-Request-ID", from: "id")
//         func create(user: NewUser, id: UUID) async throws -> User
//
//         @POST("photos") @Multipart @Part("photo", "caption") @Progress("progress")
//         func upload(photo: URL, caption: String, progress: ProgressHandler?) async throws -> Photo
//
//         @DELETE("users/{id}") @Statuses(only: 200, 204, 404)
//         func delete(id: Int) async throws
//
//         @GET("export") @Caching(maxAge: .seconds(3600), offline: true)
//         func export() async throws -> TemporaryFile
//     }

struct User: Codable, Hashable, Sendable {
    var id: Int
    var name: String
}

struct NewUser: Codable, Hashable, Sendable {
    var name: String
}

struct Photo: Codable, Hashable, Sendable {
    var url: String
}

protocol UserService {
    func user(id: Int) async throws -> User
    func search(name: String, page: Int) async throws -> [User]
    func create(user: NewUser, id: UUID) async throws -> User
    func upload(photo: URL, caption: String, progress: ProgressHandler?) async throws -> Photo
    func delete(id: Int) async throws
    func export() async throws -> TemporaryFile
}

/// Sends the calls of ``UserService``.
struct UserServiceClient: UserService, Sendable {
    /// The client that sends the calls.
    let client: Client

    /// Sends the calls with a client.
    init(_ client: Client) {
        self.client = client
    }

    /// Sends the calls through a chain.
    init(chain: some Transport) {
        client = Client(over: chain)
    }

    /// The calls, not sent yet.
    var calls: Calls { Calls(client: client) }

    func user(id: Int) async throws -> User {
        try await self.client.call(UserRequest(id: id))
    }

    func search(name: String, page: Int = 1) async throws -> [User] {
        try await self.client.call(SearchRequest(name: name, page: page))
    }

    func create(user: NewUser, id: UUID) async throws -> User {
        try await self.client.call(CreateRequest(user: user, id: id))
    }

    func upload(photo: URL, caption: String, progress: ProgressHandler? = nil) async throws -> Photo {
        try await self.client.call(UploadRequest(photo: photo, caption: caption, progress: progress))
    }

    func delete(id: Int) async throws {
        try await self.client.call(DeleteRequest(id: id))
    }

    func export() async throws -> TemporaryFile {
        try await self.client.call(ExportRequest())
    }

    /// Makes calls that are sent when their result is asked for.
    struct Calls: Sendable {
        fileprivate let client: Client

        func user(id: Int) -> Call<UserRequest> {
            self.client.makeCall(UserRequest(id: id))
        }

        func search(name: String, page: Int = 1) -> Call<SearchRequest> {
            self.client.makeCall(SearchRequest(name: name, page: page))
        }

        func create(user: NewUser, id: UUID) -> Call<CreateRequest> {
            self.client.makeCall(CreateRequest(user: user, id: id))
        }

        func upload(photo: URL, caption: String, progress: ProgressHandler? = nil) -> Call<UploadRequest> {
            self.client.makeCall(UploadRequest(photo: photo, caption: caption, progress: progress))
        }

        func delete(id: Int) -> Call<DeleteRequest> {
            self.client.makeCall(DeleteRequest(id: id))
        }

        func export() -> Call<ExportRequest> {
            self.client.makeCall(ExportRequest())
        }
    }

    /// The request of ``user(id:)``.
    struct UserRequest: TypedRequest {
        typealias Output = User
        var id: Int

        init(id: Int) {
            self.id = id
        }

        var path: String { "https://api.example.com/v2/users/{id}" }
        var pathParameters: URLParameters { ["id": id] }
    }

    /// The request of ``search(name:page:)``.
    struct SearchRequest: TypedRequest {
        typealias Output = [User]
        var name: String
        var page: Int

        init(name: String, page: Int) {
            self.name = name
            self.page = page
        }

        var path: String { "https://api.example.com/v2/users" }
        var query: URLQuery { ["name": name, "page": page] }
    }

    /// The request of ``create(user:id:)``.
    struct CreateRequest: TypedRequest {
        typealias Output = User
        var user: NewUser
        var id: UUID

        init(user: NewUser, id: UUID) {
            self.user = user
            self.id = id
        }

        var method: HTTPRequest.Method { .post }
        var path: String { "https://api.example.com/v2/users" }
        var headers: HTTPFields {
            var fields = HTTPFields()
            fields.declare("X-Request-ID", id)
            return fields
        }
        var body: HTTPBody { .value(user) }

        func configure(_ request: inout Request) throws {
            request = request.compression()
        }
    }

    /// The request of ``upload(photo:caption:progress:)``.
    struct UploadRequest: TypedRequest {
        typealias Output = Photo
        var photo: URL
        var caption: String
        var progress: ProgressHandler?

        init(photo: URL, caption: String, progress: ProgressHandler?) {
            self.photo = photo
            self.caption = caption
            self.progress = progress
        }

        var method: HTTPRequest.Method { .post }
        var path: String { "https://api.example.com/v2/photos" }

        func configure(_ request: inout Request) throws {
            request = request.multipart(MultipartForm(photo.parts(named: "photo") + caption.parts(named: "caption")))
            if let progress { request = request.progress(progress) }
        }
    }

    /// The request of ``delete(id:)``.
    struct DeleteRequest: TypedRequest {
        typealias Output = Void
        var id: Int

        init(id: Int) {
            self.id = id
        }

        var method: HTTPRequest.Method { .delete }
        var path: String { "https://api.example.com/v2/users/{id}" }
        var pathParameters: URLParameters { ["id": id] }

        func configure(_ request: inout Request) throws {
            request = request.statuses(only: [200, 204, 404])
        }
    }

    /// The request of ``export()``.
    struct ExportRequest: TypedRequest {
        typealias Output = TemporaryFile

        init() {
        }

        var path: String { "https://api.example.com/v2/export" }

        func configure(_ request: inout Request) throws {
            request = request.caching(CacheSettings(use: .storedOnFailure, lifetime: .exactly(.seconds(3600))))
        }
    }
}

/// Answers the calls of ``UserService`` as a test says, and counts them.
struct UserServiceMock: UserService, Sendable {
    /// The methods, to be scripted and counted.
    struct Methods: Sendable {
        let user = MockMethod<Int, User>("UserService.user(id:)")
        let search = MockMethod<(name: String, page: Int), [User]>("UserService.search(name:page:)")
        let create = MockMethod<(user: NewUser, id: UUID), User>("UserService.create(user:id:)")
        let upload = MockMethod<(photo: URL, caption: String, progress: ProgressHandler?), Photo>(
            "UserService.upload(photo:caption:progress:)"
        )
        let delete = MockMethod<Int, Void>("UserService.delete(id:)")
        let export = MockMethod<(), TemporaryFile>("UserService.export()")
    }

    /// The methods, to be scripted and counted.
    let on = Methods()

    init() {}

    func user(id: Int) async throws -> User {
        try await self.on.user.answer(id)
    }

    func search(name: String, page: Int) async throws -> [User] {
        try await self.on.search.answer((name, page))
    }

    func create(user: NewUser, id: UUID) async throws -> User {
        try await self.on.create.answer((user, id))
    }

    func upload(photo: URL, caption: String, progress: ProgressHandler?) async throws -> Photo {
        try await self.on.upload.answer((photo, caption, progress))
    }

    func delete(id: Int) async throws {
        try await self.on.delete.answer(id)
    }

    func export() async throws -> TemporaryFile {
        try await self.on.export.answer(())
    }
}
#endif
