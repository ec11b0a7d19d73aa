public import Foundation
package import HTTPChainCore
import HTTPChainSupport

/// A request type whose replies are stored, so that they can be shown before or without a live response.
///
/// ```swift
/// extension ListPlants: StoredRequest {
///     var storageIdentifier: String? { "plants by \(order)" }
///     var storageClassification: String? { "garden" }
///     static var storage: ReplyStorage<[Plant]> { .value }
/// }
///
/// for try await reply in client.call(ListPlants(order: .name)).storedThenLive() {
///     show(reply.value, storedAt: reply.storedAt)
/// }
/// ```
///
/// Each successful call replaces the previous reply in the client's ``ReplyStore``. This is independent of HTTP
/// caching, which a `CacheMiddleware` in the chain implements: the stored reply is the service's most recent reply,
/// regardless of freshness. For a list with pages (`Call.pages(by:startingAt:)`), only the first page is stored.
public protocol StoredRequest: TypedRequest {
    /// The identifier that the reply is stored under, unique for each value; `nil` if the reply isn't stored.
    ///
    /// It is written to the store and must not contain secrets. The type's full name is part of the key, so identifiers
    /// of different types don't collide.
    var storageIdentifier: String? { get }

    /// The class of data of the reply, for dividing stores and deleting replies; none by default.
    var storageClassification: String? { get }

    /// The form in which replies are stored; raw by default.
    static var storage: ReplyStorage<Output> { get }
}

extension StoredRequest {
    /// The default value, no class.
    public var storageClassification: String? { nil }
    /// The default value, ``ReplyStorage/raw``.
    public static var storage: ReplyStorage<Output> { .raw }
}

/// A form in which the replies of a request type are stored.
public struct ReplyStorage<Output: Sendable>: Sendable {
    enum Form: Sendable {
        case raw
        case value(
            encode: @Sendable (Output) throws -> Data,
            decode: @Sendable (Data) throws -> Output
        )
    }

    let form: Form

    /// The status, fields and bytes as received; they are decoded each time the reply is read.
    ///
    /// The serializers of the chain that serves the request decode them, or a JSON decoder if there are none. Any
    /// output type is supported. Replies of mocks, which have no bytes, and replies that are files or streams are not
    /// stored.
    public static var raw: ReplyStorage { ReplyStorage(form: .raw) }

    /// The output, in a custom encoding.
    ///
    /// - Parameters:
    ///   - encode: A closure that encodes an output. If it throws, the reply isn't stored.
    ///   - decode: A closure that decodes an output. ``Client/storedReply(for:)`` throws its errors.
    public static func value(
        encode: @escaping @Sendable (_ output: Output) throws -> Data,
        decode: @escaping @Sendable (_ bytes: Data) throws -> Output
    ) -> ReplyStorage {
        ReplyStorage(form: .value(encode: encode, decode: decode))
    }

    /// The name of the form, as part of keys: a type that changes its form doesn't read its old entries.
    var name: String { if case .raw = form { "raw" } else { "value" } }
}

extension ReplyStorage where Output: Codable {
    /// The output, as JSON.
    public static var value: ReplyStorage {
        .value {
            try JSONEncoder().encode($0)
        } decode: {
            try JSONDecoder().decode(Output.self, received: $0)
        }
    }
}

/// A stored reply.
public struct StoredReply<Output: Sendable>: Sendable {
    /// The output.
    public let value: Output
    /// The date when it was received from the service.
    public let date: Date

    /// Whether it was received less than a given time ago.
    ///
    /// - Parameters:
    ///   - limit: The age limit.
    ///   - now: The current date; defaults to the system's.
    public func isYounger(than limit: Duration, at now: Date = Date()) -> Bool {
        now.timeIntervalSince(date) < limit.inSeconds
    }
}

/// An error for a stored reply that the client can't provide.
public struct ReplyStoreError: ClientError, Hashable {
    /// The problem.
    package enum Problem: Sendable, Hashable {
        /// The client has no reply store.
        case noStore(requestType: String)
        /// The store treats all callers as one user, but a stage sends requests in a user's name.
        case undivided(stage: String)
    }

    /// The problem.
    package let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    package var explanation: Explanation {
        switch problem {
        case .noStore(let type):
            Explanation(
                "a stored reply of \(type) was requested, but the client has no store for replies",
                "make the client with a ReplyStore: Client(replies: ReplyStore(…), endpoints: […])"
            )
        case .undivided(let stage):
            Explanation(
                "the reply store can't tell whose replies it keeps, because \(stage) adds the user's credentials later; "
                    + "nothing is stored",
                "give the ReplyStore partition: .by { … } with the user's name, or partition: .shared if all callers are "
                    + "one user"
            )
        }
    }
}
