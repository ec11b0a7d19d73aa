import Foundation
import HTTPChain
import HTTPChainPagination

struct Sighting: Codable, Hashable, Sendable {
    var id = 0
    var bird: String
    var seenAt: Date
}

struct Account: Sendable {
    var name: String
    var password: Secret
}

/// The service's reason for refusing a request.
enum JournalError: Error, Equatable {
    case wrongPassword
    case photoTooLarge(limit: Int)
    case other(code: String)
}

extension JournalError {
    /// The content of a refusal: `{"error": {"code": "photo_too_large", "limit": 1000}}`.
    private struct Refusal: Decodable {
        struct Details: Decodable {
            var code: String
            var limit: Int?
        }

        var error: Details
    }

    init?(_ failure: CallFailure) {
        // An error of the sign-in is the cause of the stage's error.
        if let error = (failure.error as? AuthenticationError)?.underlyingError as? JournalError {
            self = error
            return
        }
        guard let details = failure.decode(Refusal.self)?.error else { return nil }
        switch (details.code, details.limit) {
        case ("wrong_password", _): self = .wrongPassword
        case ("photo_too_large", let limit?): self = .photoTooLarge(limit: limit)
        default: self = .other(code: details.code)
        }
    }
}

/// The client of the service: a preset with the app's own settings.
struct Journal: Sendable {
    let chain: Chain

    init(
        at service: String,
        for account: Account,
        over transport: some Transport = URLSessionTransport(),
        cache: some CacheStore = .memory(limit: .megabytes(20))
    ) throws {
        chain = try Chain.mobile(
            base: service,
            over: transport,
            cache: cache,
            partition: .by { _ in account.name },
            serializer: .json(
                keys: .snakeCase,
                encoder: { $0.dateEncodingStrategy = .secondsSince1970 },
                decoder: { $0.dateDecodingStrategy = .secondsSince1970 }
            ),
            authentication: BearerAuthMiddleware(Self.tokens(for: account, at: service), for: service)
        )
        .replacing(ErrorHandlerMiddleware.self, with: ErrorHandlerMiddleware(.throwing { JournalError($0) }))
        .replacing(
            HeadersMiddleware.self,
            with: HeadersMiddleware(["X-Device": "field-7", "User-Agent": "Journal/1.0"])
        )
    }

    /// Returns a provider that gets tokens from the service's own endpoint: first with the password, and later by
    /// refreshing the last token.
    private static func tokens(for account: Account, at service: String) -> some AccessTokenProvider {
        struct Session: Decodable { var token: String, renewal: String, lifetime: Double }
        return .asking { old, context in
            let credentials =
                if let renewal = old?.refreshToken { ["renewal": renewal.revealed] } else {
                    ["user": account.name, "password": account.password.revealed]
                }
            let response = try await context.send(.post("\(service)/sessions", json: credentials))
            guard response.status != .forbidden else { throw JournalError.wrongPassword }
            let session = try await response.decode(Session.self)
            return AccessToken(
                session.token,
                expiresAt: Date() + session.lifetime,
                refreshToken: session.renewal
            )
        }
    }

    /// Returns all sightings, page by page.
    ///
    /// If there is no connection, these are the stored ones.
    func sightings() -> some AsyncSequence<Sighting, any Error> {
        struct List: Decodable, Sendable { var sightings: [Sighting], next: String? }
        let first = Request.get("sightings").caching(.storedOnFailure).retry(.never)
        return chain.pages(of: List.self, from: first, by: .cursor(parameter: "after") { $0.next }).items(\.sightings)
    }

    func add(_ bird: String, seenAt date: Date) async throws -> Sighting {
        try await chain.send(.post("sightings", body: .value(Sighting(bird: bird, seenAt: date))), as: Sighting.self)
    }

    /// Uploads a photo while it arrives from the camera.
    func upload(
        _ photo: AsyncStream<Data>,
        length: Int64,
        of sighting: Sighting,
        showing show: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        let request = Request.put(
            "sightings/{id}/photo",
            path: ["id": sighting.id],
            headers: [.contentType: "image/jpeg"],
            body: .once(length: length, chunks: photo)
        )
        _ = try await chain.send(request.progress(show))
    }
}
