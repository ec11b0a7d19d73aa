#if Valkey
public import HTTPChainCore

/// The address of a Valkey or Redis server, and the time that it has.
///
/// ```swift
/// var settings = ValkeySettings(host: "valkey.internal", password: Secret(password))
/// settings.tls = .systemRoots
/// ```
public struct ValkeySettings: Sendable {
    /// The certificates that a connection trusts.
    public enum TLS: Sendable, Hashable {
        /// Nothing is encrypted.
        case off
        /// A certificate of an authority that the system trusts, for the host's name.
        case systemRoots
        /// A certificate of an authority in a PEM file, for the host's name.
        case roots(file: String)
    }

    /// The server's name or address; "127.0.0.1" by default.
    public var host: String
    /// The server's port; 6379 by default.
    public var port: Int
    /// The user; `nil`, the default, for the server's default user.
    public var username: String?
    /// The password; `nil`, the default, for none.
    public var password: Secret?
    /// The number of the database; 0 by default.
    public var database: Int
    /// Whether and how connections are encrypted; they are not by default.
    public var tls = TLS.off
    /// The time that making a connection may take; a second by default.
    public var connectTimeout = Duration.seconds(1)
    /// The time that a command may wait for its answer, the connection included; half a second by default.
    ///
    /// When one waits longer, its connection is closed: a server that hangs is not asked again at once.
    public var commandTimeout = Duration.milliseconds(500)
    /// The shortest and the longest wait before the client connects again.
    ///
    /// After a connection was lost or could not be made the wait doubles each time, with jitter; commands fail at once
    /// meanwhile. 50 milliseconds to 5 seconds by default.
    public var reconnection = Duration.milliseconds(50)...Duration.seconds(5)
    /// The number of commands that may wait for answers at once; 10,000 by default.
    public var maximumPending = 10_000

    /// Makes the settings.
    ///
    /// - Parameters:
    ///   - host: The server's name or address; "127.0.0.1" by default.
    ///   - port: Its port; 6379 by default.
    ///   - username: The user; the server's default user by default.
    ///   - password: The password; none by default.
    ///   - database: The number of the database; 0 by default.
    public init(
        host: String = "127.0.0.1",
        port: Int = 6379,
        username: String? = nil,
        password: Secret? = nil,
        database: Int = 0
    ) {
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.database = database
    }
}
#endif
