import HTTPChainCore

/// The address of a service: what the relative paths of routes are appended to.
public struct ServiceAddress: Sendable, Hashable, CustomStringConvertible {
    /// `https` or `http`.
    public var scheme: String
    /// The host, or an address: IPv6 in brackets.
    public var host: String
    /// The port; `nil` for that of the scheme.
    public var port: Int?
    /// A path that all have in common; empty by default.
    public var path: String

    /// Describes an address.
    ///
    /// - Parameters:
    ///   - scheme: `https`, which is the default, or `http`.
    ///   - host: The host.
    ///   - port: The port; that of the scheme by default.
    ///   - path: A path that all routes have in common; none by default.
    public init(scheme: String = "https", host: String, port: Int? = nil, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// The address as a URL.
    public var description: String {
        "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path.isEmpty || path.begins(with: "/") ? path : "/\(path)")"
    }
}
