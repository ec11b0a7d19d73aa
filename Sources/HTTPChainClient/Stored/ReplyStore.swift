import Foundation
public import HTTPChainCache
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A store for the replies of ``StoredRequest`` types; it can use a separate cache store for each class of data.
///
/// ```swift
/// let replies = ReplyStore(
///     .files(in: folder, limit: .megabytes(50)),
///     classes: ["user": .files(in: userFolder, limit: .megabytes(50)), "temporary": .memory(limit: .megabytes(5))],
///     partition: .by { _ in await session.userID }
/// )
/// let client = Client(replies: replies, endpoints: [Endpoint("api", over: chain)])
/// // the user leaves
/// try await replies.remove(classification: "user")
/// ```
///
/// A store may be shared with a `CacheMiddleware`, because this type only touches its own entries. If a reply is
/// removed while a call is running, that call doesn't store it again. Clients may share a reply store.
public final class ReplyStore: Sendable {
    private static let scheme = "stored-reply:"

    private let store: any CacheStore
    private let partition: UserPartition
    private let ownClasses: Set<ExactText>
    private let log = RemovalLog()

    /// Creates a reply store.
    ///
    /// - Parameters:
    ///   - store: The store for all replies, or all but those of `classes`.
    ///   - classes: The separate stores for classes of data, as named by ``StoredRequest/storageClassification``; none
    ///     by default.
    ///   - partition: The rule that determines the owner of a reply. Use `.shared` if there is one user, or if replies
    ///     are the same for all users. With `.none` and `.byCredentials`, replies of a chain that authenticates or
    ///     signs aren't stored. With `.none`, replies to requests with their own credentials aren't stored either.
    public init(_ store: some CacheStore, classes: [String: any CacheStore] = [:], partition: UserPartition) {
        self.store = classes.isEmpty ? store : DividedCacheStore(classes, others: store)
        self.partition = partition
        ownClasses = Set(classes.keys.map(ExactText.init))
    }

    /// Removes all replies of all users.
    ///
    /// - Returns: The number of removed replies.
    /// - Throws: Any error of the store.
    @discardableResult
    public func removeAll() async throws -> Int {
        try await remove(.all) { _ in true }
    }

    /// Removes the replies of a class of data, for all users.
    ///
    /// - Parameter classification: The class; `nil` for replies without one.
    /// - Returns: The number of removed replies.
    @discardableResult
    public func remove(classification: String?) async throws -> Int {
        try await remove(.classification(classification)) { $0.classification.hasSameBytes(as: classification) }
    }

    /// Removes replies without a class, and replies of classes without a separate store.
    ///
    /// - Returns: The number of removed replies.
    @discardableResult
    public func removeOthers() async throws -> Int {
        try await remove(.all) { [ownClasses] in $0.classification.map { ownClasses.contains(ExactText($0)) } != true }
    }

    /// Removes the reply of a request for the current user.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: Any error of the store, of making the request, and of the partition.
    @discardableResult
    public func remove(for request: some StoredRequest) async throws -> Bool {
        guard let key = try await key(for: request, try request.makeRequest()) else { return false }
        return try await remove(.key(key)) { $0.key == key } > 0
    }

    private func remove(
        _ selection: CacheSelection,
        where isRemoved: @escaping @Sendable (RemovalLog.Place) -> Bool
    ) async throws -> Int {
        // Logged before removing entries, so that a call that stores a reply meanwhile notices the removal, and removes
        // its reply again.
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

    /// Checks that replies are separated by user if the endpoint's chain has users.
    ///
    /// - Throws: ``ReplyStoreError``.
    func requireDivision(of endpoint: Endpoint) throws(ReplyStoreError) {
        guard partition.mayMixUsers, case .transport(let transport) = endpoint.handler,
            let stage = transport.identifyingStage
        else { return }
        throw ReplyStoreError(.undivided(stage: stage.summary.name))
    }

    /// Returns the key that a reply is stored under; `nil` if it isn't stored, because the request has no identifier or
    /// its owner is unknown.
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

    /// Reads the body of a stored reply and its metadata.
    func read<Kind: StoredRequest>(_ request: Kind, _ http: Request) async throws -> (CacheMetadata, HTTPBody)? {
        guard let key = try await key(for: request, http),
            let entry = try await store.variants(of: key).max(by: { $0.metadata.requestTime < $1.metadata.requestTime }
            ),
            let body = try await store.body(of: entry, range: nil)
        else { return nil }
        return (entry.response.metadata, body)
    }

    /// Records that a call begins; it won't store a reply that is removed from now on.
    func begin() -> UInt64 { log.begin() }

    /// Records that a call has ended.
    func end() { log.end() }

    /// Stores a reply.
    ///
    /// Doesn't store it if, since the request was sent, the reply was removed, the reply to a later request was stored,
    /// or the user changed.
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
