#if Valkey
public import HTTPChainCore

/// The address of a Valkey or Redis server, and the time limits for using it.
///
/// ```swift
/// var settings = ValkeySettings(host: "valkey.internal", password: Secret(password))
/// settings.tls = .systemRoots
/// ```
public struct ValkeySettings: Sendable {
    /// The encryption and trusted certificates of a connection.
    public enum TLS: Sendable, Hashable {
        /// No encryption.
        case off
        /// TLS; the server's certificate must be for the host's name, and from an authority that the system trusts.
        case systemRoots
        /// TLS; the server's certificate must be for the host's name, and from an authority in a PEM file.
        case roots(file: String)
    }

    /// The server's name or address; "127.0.0.1" by default.
    package var host: String
    /// The server's port; 6379 by default.
    package var port: Int
    /// The user; `nil`, the default, for the server's default user.
    package var username: String?
    /// The password; `nil`, the default, for none.
    package var password: Secret?
    /// The number of the database; 0 by default.
    package var database: Int
    /// The encryption of connections; off by default.
    public var tls = TLS.off
    /// The time limit for connecting; 1 second by default.
    public var connectTimeout = Duration.seconds(1)
    /// The time limit for a command's reply, including connecting; half a second by default.
    ///
    /// If it is exceeded, the connection is closed, so that a server that hangs isn't used again immediately.
    public var commandTimeout = Duration.milliseconds(500)
    /// The shortest and the longest delay before the client reconnects.
    ///
    /// After each lost or failed connection the delay doubles, with jitter. Commands fail immediately during the delay.
    /// 50 milliseconds to 5 seconds by default.
    public var reconnection = Duration.milliseconds(50)...Duration.seconds(5)
    /// The maximum number of pending commands; 10,000 by default.
    public var maximumPending = 10_000

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - host: The server's name or address; "127.0.0.1" by default.
    ///   - port: The server's port; 6379 by default.
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
