import HTTPChainSupport

/// The clients of an application, each made once and found by its key.
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
/// There is no global table: an application makes one and hands it on, so that tests that run at the same time have one
/// each, with clients of their own put in (``set(_:to:)``).
public final class SharedClients: Sendable {
    /// Names a client, and says how it is made.
    public struct Key: Sendable {
        /// The name.
        public let name: String
        let make: @Sendable () throws -> Client

        /// Names a client.
        ///
        /// - Parameters:
        ///   - name: Its name; keys with the same name are the same client.
        ///   - make: Makes it, when it is first asked for; it must not ask the same table for a client.
        public init(_ name: String, make: @escaping @Sendable () throws -> Client) {
            self.name = name
            self.make = make
        }
    }

    private let clients = Locked<[String: Client]>([:])

    /// Makes a table without clients.
    public init() {}

    /// The client of a key, which is made now unless it was made before.
    ///
    /// - Throws: What making it throws; the next one who asks tries again.
    public func callAsFunction(_ key: Key) throws -> Client {
        try clients.withLock { clients in
            if let client = clients[key.name] { return client }
            let client = try key.make()
            clients[key.name] = client
            return client
        }
    }

    /// Puts a client in the place of the one that the key would make, such as one of mocks.
    ///
    /// Callers that have the old one keep it.
    public func set(_ key: Key, to client: Client) {
        // The old client may go away now, which takes locks of others.
        let old = clients.withLock { $0.updateValue(client, forKey: key.name) }
        withExtendedLifetime(old) {}
    }

    /// Forgets all clients; the calls of those that nobody else has are cancelled.
    public func removeAll() {
        let old = clients.withLock { clients in
            let old = clients
            clients = [:]
            return old
        }
        withExtendedLifetime(old) {}
    }
}
