import Foundation
public import HTTPChainCache
public import HTTPChainCore
import HTTPTypes

/// A store for the replies of ``StoredRequest`` types: in stores of the cache, divided by the class of their data.
///
/// ```swift
/// let replies = ReplyStore(
///     ["user": .files(in: userFolder, limit: .megabytes(50)), "temporary": .memory(limit: .megabytes(5))],
///     others: .files(in: folder, limit: .megabytes(50)),
///     partition: .by { _ in await session.userID }
/// )
/// let client = Client(replies: replies) { Endpoint("api", over: chain) }
/// // the user leaves
/// try await replies.remove(classification: "user")
/// ```
///
/// A store may be that of a `CacheMiddleware` too: this one keeps to its own entries. What is removed while a call is
/// running is not stored again by that call. Clients may share one.
public final class ReplyStore: Sendable {
    private static let scheme = "stored-reply:"

    private let store: any CacheStore
    private let partition: UserPartition
    private let ownClasses: Set<String>
    private let log = RemovalLog()

    /// Makes it of one store for all replies.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - partition: Whose the replies are: `.shared` where there is one user, or what is answered is the same for
    ///     all. With `.none`, requests that bring credentials of their own are not stored.
    public init(_ store: some CacheStore, partition: UserPartition) {
        self.store = store
        self.partition = partition
        ownClasses = []
    }

    /// Makes it of a store for each class of data, and one for the other replies.
    ///
    /// - Parameters:
    ///   - classes: The stores of classes, as ``StoredRequest/storageClassification`` names them.
    ///   - others: The store of all others.
    ///   - partition: Whose the replies are: `.shared` where there is one user, or what is answered is the same for
    ///     all. With `.none`, requests that bring credentials of their own are not stored.
    public init(_ classes: [String: any CacheStore], others: some CacheStore, partition: UserPartition) {
        store = DividedCacheStore(classes, others: others)
        self.partition = partition
        ownClasses = Set(classes.keys)
    }

    /// Removes every reply, of all users.
    ///
    /// - Returns: How many there were.
    /// - Throws: What the store throws.
    @discardableResult
    public func removeAll() async throws -> Int {
        try await remove(.all) { _ in true }
    }

    /// Removes the replies of a class of data, of all users.
    ///
    /// - Parameter classification: The class; `nil` for replies without one.
    /// - Returns: How many there were.
    @discardableResult
    public func remove(classification: String?) async throws -> Int {
        try await remove(.classification(classification)) { $0.classification == classification }
    }

    /// Removes the replies of any class that has no store of its own, and those without a class.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func removeOthers() async throws -> Int {
        try await remove(.all) { [ownClasses] in $0.classification.map(ownClasses.contains) != true }
    }

    /// Removes the reply of a request, that of the user who makes it.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: What the store, making the request and the partition throw.
    @discardableResult
    public func remove(for request: some StoredRequest) async throws -> Bool {
        guard let key = try await key(for: request, try request.makeRequest()) else { return false }
        return try await remove(.key(key)) { $0.key == key } > 0
    }

    private func remove(
        _ selection: CacheSelection,
        where isRemoved: @escaping @Sendable (RemovalLog.Place) -> Bool
    ) async throws -> Int {
        // Before it is looked at what there is: a call that stores meanwhile finds it here, and takes its reply back.
        log.note(isRemoved)
        var entries: [CacheEntryID] = []
        try await store.visit(selection) { entry in
            let place = RemovalLog.Place(key: entry.key, classification: entry.response.metadata.classification)
            if entry.key.url.begins(with: Self.scheme), isRemoved(place) { entries.append(entry.id) }
            return true
        }
        var count = 0
        for entry in entries { count += try await store.remove(.entry(entry)) }
        return count
    }

    /// The key that a reply is stored under; `nil` if it is not stored, because the request has no identifier or nobody
    /// knows whose it is.
    func key<Kind: StoredRequest>(for request: Kind, _ http: Request) async throws -> CacheKey? {
        guard let identifier = request.storageIdentifier,
            case .user(let user) = try await partition.owner(of: http)
        else { return nil }
        return CacheKey(
            url: "\(Self.scheme)\(Kind.storage.name)/\(String(reflecting: Kind.self))",
            partition: user,
            identifier: identifier
        )
    }

    /// The bytes of a stored reply, with what came with them.
    func read<Kind: StoredRequest>(_ request: Kind, _ http: Request) async throws -> (CacheMetadata, HTTPBody)? {
        guard let key = try await key(for: request, http),
            let entry = try await store.variants(of: key).max(by: { $0.metadata.requestTime < $1.metadata.requestTime }
            ),
            let body = try await store.body(of: entry, range: nil)
        else { return nil }
        return (entry.response.metadata, body)
    }

    /// A call begins; what is removed from now on it does not store.
    func begin() -> UInt64 { log.begin() }

    /// A call that has begun has ended.
    func end() { log.end() }

    /// Stores a reply, unless it or one that was asked for later was removed or stored meanwhile, or the user is another
    /// than when it was asked for.
    func write<Kind: StoredRequest>(
        _ bytes: Data,
        of request: Kind,
        _ http: Request,
        head: HTTPResponse,
        times: (sent: Date, received: Date),
        askedAs asked: CacheKey?,
        since stamp: UInt64
    ) async throws {
        guard let key = try await key(for: request, http), key == asked else { return }
        let place = RemovalLog.Place(key: key, classification: request.storageClassification)
        guard !log.isRemoved(place, since: stamp) else { return }
        let newest = try await store.variants(of: key).map(\.metadata.requestTime).max()
        if let newest, newest > times.sent, newest <= times.received { return }
        let metadata = CacheMetadata(
            head: head,
            requestTime: times.sent,
            responseTime: times.received,
            classification: request.storageClassification
        )
        let writer = try await store.makeWriter(for: key, metadata, expecting: Int64(bytes.count))
        guard let writer, try await writer.write(bytes) else { return }
        let entry = try await writer.commit().entry
        if let entry, log.isRemoved(place, since: stamp) { try await store.remove(.entry(entry.id)) }
    }
}

extension CacheEntry {
    fileprivate var metadata: CacheMetadata { response.metadata }
}
