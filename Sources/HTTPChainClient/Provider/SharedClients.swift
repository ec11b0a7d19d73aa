import HTTPChainSupport

/// The clients of an application, each created once and found by its key.
///
/// ```swift
/// extension SharedClients.Key {
///     static let shop = SharedClients.Key("shop") { try Client(over: Chain.standard(base: "https://shop.example.com")) }
/// }
///
/// let clients = SharedClients()
/// let plant = try await clients(.shop).call(GetPlant(id: 7))
/// ```
///
/// There is no global table. Create one and pass it to its users, so that tests running in parallel each have a
/// separate table, with clients set by ``set(_:to:)``.
public final class SharedClients: Sendable {
    /// The name of a client, with the closure that creates it.
    public struct Key: Sendable {
        /// The name.
        package let name: String
        let make: @Sendable () throws -> Client

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - name: The name; keys with the same name refer to the same client.
        ///   - make: A closure that creates the client on first use. It must not request a client from the same table.
        public init(_ name: String, make: @escaping @Sendable () throws -> Client) {
            self.name = name
            self.make = make
        }
    }

    private let clients = Locked<[String: Client]>([:])

    /// Creates an empty table.
    public init() {}

    /// Returns the client of a key, creating it on first use.
    ///
    /// - Throws: Any error from creating it; the next request tries again.
    public func callAsFunction(_ key: Key) throws -> Client {
        try clients.withLock { clients in
            if let client = clients[key.name] { return client }
            let client = try key.make()
            clients[key.name] = client
            return client
        }
    }

    /// Sets the client of a key instead of creating one, for example a client with mocks.
    ///
    /// Callers that already have the previous client keep using it.
    public func set(_ key: Key, to client: Client) {
        // Releases the old client outside the lock, because its deallocation takes other locks.
        let old = clients.withLock { $0.updateValue(client, forKey: key.name) }
        withExtendedLifetime(old) {}
    }

    /// Removes all clients, which cancels the calls of clients without other references.
    package func removeAll() {
        let old = clients.withLock { clients in
            let old = clients
            clients = [:]
            return old
        }
        withExtendedLifetime(old) {}
    }
}
