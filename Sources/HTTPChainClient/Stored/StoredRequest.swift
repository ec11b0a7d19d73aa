public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// A request type whose replies are stored, to be shown before the service has answered, or without it.
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
/// The reply of a call that succeeds takes the place of the one before it, in the ``ReplyStore`` of the client. This is
/// apart from HTTP's rules for caches, which a `CacheMiddleware` in the chain keeps: a stored reply is whatever the
/// service said last, and is shown when it is asked for.
public protocol StoredRequest: TypedRequest {
    /// The identifier that the reply is stored under, different for each value whose reply is; `nil` for a value whose
    /// reply is not stored.
    ///
    /// It is written into the store: it must hold no secret. The type's full name is part of the key, so that
    /// identifiers of different types do not meet.
    var storageIdentifier: String? { get }

    /// The class of data that the reply belongs to, by which stores are divided and replies are deleted; none by
    /// default.
    var storageClassification: String? { get }

    /// The form in which replies are stored: as they came, by default.
    static var storage: ReplyStorage<Output> { get }
}

extension StoredRequest {
    /// None.
    public var storageClassification: String? { nil }
    /// As they came.
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

    /// The status, the fields and the bytes as they came; they are decoded again when they are read.
    ///
    /// They are read by the serializers of the chain that serves the request, or without one from JSON. It needs
    /// nothing of the output's type. The reply of a mock, which has no bytes, is not stored, nor is one that is a file
    /// or a stream.
    public static var raw: ReplyStorage { ReplyStorage(form: .raw) }

    /// The output, as bytes of your making.
    ///
    /// - Parameters:
    ///   - encode: Makes bytes of an output; what it throws keeps the reply from being stored.
    ///   - decode: Makes the output again; what it throws, ``Client/storedReply(for:)`` throws.
    public static func value(
        encode: @escaping @Sendable (_ output: Output) throws -> Data,
        decode: @escaping @Sendable (_ bytes: Data) throws -> Output
    ) -> ReplyStorage {
        ReplyStorage(form: .value(encode: encode, decode: decode))
    }

    /// The name of the form in a key: a type that changes its form does not read what the other wrote.
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

/// A reply that was stored.
public struct StoredReply<Output: Sendable>: Sendable {
    /// The output.
    public let value: Output
    /// The date when it came from the service.
    public let date: Date

    /// Whether it came within a time before a moment.
    ///
    /// - Parameters:
    ///   - limit: How old it may be.
    ///   - now: The moment; now by default.
    public func isYounger(than limit: Duration, at now: Date = Date()) -> Bool {
        now.timeIntervalSince(date) < limit.inSeconds
    }
}

/// A stored reply was asked for that the client cannot have.
public struct ReplyStoreError: HTTPChainError, Hashable {
    /// Why.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The client was made without a store.
        case noStore(requestType: String)
    }

    /// Why.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// Always "Client".
    public var stage: String { "Client" }

    /// Why, in words.
    public var reason: String {
        switch problem {
        case .noStore(let type): "a stored reply of \(type) was asked for, and the client has no store for replies"
        }
    }

    /// To give it one.
    public var recoverySuggestion: String? { "make the client with a ReplyStore: Client(replies: ReplyStore(…)) { … }" }
}
