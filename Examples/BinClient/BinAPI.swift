import Foundation
import HTTPChain

/// A slide show.
///
/// The server nests it under a root key.
struct SlideShow: Decodable, Sendable {
    var title: String
    var author: String
}

/// The size and content coding of the content that the server received.
struct Received: Decodable, Sendable {
    var bytes: Int
    var coding: String
}

/// An error of the tool's commands, other than an HTTP error.
enum BinError: Error, Equatable, CustomStringConvertible {
    case wrongPassword(user: String)

    var description: String {
        switch self {
        case .wrongPassword(let user): "The server does not know \(user) by this password."
        }
    }
}

/// The service's operations that the tool's commands call.
struct BinAPI: Sendable {
    let chain: Chain

    /// - Parameters:
    ///   - base: The server's URL.
    ///   - password: The password of the user `ada`.
    ///   - log: Receives a record of each call.
    ///   - cache: The directory for stored responses.
    init(
        base: String,
        password: Secret = "lovelace",
        over transport: any Transport = URLSessionTransport(),
        log: (any LogSink)? = nil,
        cache: URL? = nil,
        environment: ChainEnvironment? = nil
    ) throws {
        var chain = try Chain.commandLine(
            base: base,
            over: transport,
            log: log,
            authentication: BasicAuthMiddleware(user: "ada", password: password, for: base),
            environment: environment
        )
        chain = try chain.replacing(
            ErrorHandlerMiddleware.self,
            with: ErrorHandlerMiddleware(
                .throwing { $0.status == .unauthorized ? BinError.wrongPassword(user: "ada") : nil },
                .problemDetails
            )
        )
        .inserting(AgentMiddleware(name: "BinClient/1.0"), after: URLBuilderMiddleware.self)
        .inserting(DeprecationMiddleware(), before: RetryMiddleware.self)
        if let cache {
            chain = try chain.inserting(
                CacheMiddleware(store: .files(in: cache, limit: .megabytes(10)), partition: .shared),
                before: RetryMiddleware.self
            )
        }
        self.chain = chain
    }

    func slides() async throws -> SlideShow {
        try await chain.send(.get("json").decoding(at: "slideshow"), as: SlideShow.self)
    }

    func login() async throws -> String {
        try await chain.send(.get("basic-auth").decoding(at: "user"), as: String.self)
    }

    func upload(_ file: URL, showing bar: TerminalProgressWriter) async throws -> Received {
        let form: MultipartForm = [.text("title", "Holiday"), .file("photo", file)]
        let request = Request.post("upload", multipart: form).progress { bar.show($0) }
        return try await chain.send(request, as: Received.self)
    }

    func compressed(_ text: String) async throws -> Received {
        try await chain.send(.post("gzip", body: HTTPBody(text)).compression(), as: Received.self)
    }

    func fetch(_ path: String) async throws -> Response {
        try await chain.send(.get(path))
    }
}
