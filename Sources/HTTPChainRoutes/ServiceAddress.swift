public import HTTPChainCore

/// The address of a service, to which the relative paths of routes are appended.
public struct ServiceAddress: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// `https` or `http`.
    package var scheme: String
    /// The host name or address; IPv6 in brackets.
    package var host: String
    /// The port; `nil` for the scheme's default.
    package var port: Int?
    /// The common path prefix of all routes; empty by default.
    package var path: String

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - scheme: `https`, the default, or `http`.
    ///   - host: The host.
    ///   - port: The port; the scheme's default if `nil`.
    ///   - path: The common path prefix of all routes; none by default.
    public init(scheme: String = "https", host: String, port: Int? = nil, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// The address as a URL.
    package var words: String {
        "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path.isEmpty || path.begins(with: "/") ? path : "/\(path)")"
    }
}
