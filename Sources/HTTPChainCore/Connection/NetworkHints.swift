/// Hints for the platform about one request, and limits to the networks that may carry it; see ``Request/network(_:)``.
public struct NetworkHints: OptionSet, Sendable, Hashable {
    /// One bit for each hint.
    public let rawValue: UInt

    /// Makes hints from bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The user doesn't wait for the response: it may give way to other traffic.
    public static let background = NetworkHints(rawValue: 1 << 0)
    /// The user waits for the response.
    public static let responsive = NetworkHints(rawValue: 1 << 1)
    /// The content is audio or video that plays while it arrives.
    public static let streaming = NetworkHints(rawValue: 1 << 2)
    /// The server is known to support HTTP/3, which is tried first.
    public static let http3 = NetworkHints(rawValue: 1 << 3)
    /// Cellular networks aren't used.
    public static let noCellular = NetworkHints(rawValue: 1 << 4)
    /// Networks that cost money aren't used, such as cellular ones and personal hotspots.
    public static let noExpensive = NetworkHints(rawValue: 1 << 5)
    /// Networks in Low Data Mode aren't used.
    public static let noConstrained = NetworkHints(rawValue: 1 << 6)

    /// The hints that a call must not lose.
    private static let limits: NetworkHints = [.noCellular, .noExpensive, .noConstrained]

    /// The option of a request.
    package enum Option: RequestOption {
        /// No hints.
        package static var defaultValue: NetworkHints { [] }
        /// Whether the hints limit no networks.
        package static func isHarmless(_ value: NetworkHints) -> Bool { value.isDisjoint(with: limits) }
        /// The transport that follows them.
        package static var usage: OptionUsage {
            OptionUsage(".network(_:)", reader: "URLSessionTransport() on an Apple platform")
        }
    }
}

extension Request {
    /// Returns the request with hints for the platform, and with limits to the networks that may carry it.
    ///
    /// ```swift
    /// let photos = Request.get("https://photos.example/all").network([.noCellular, .background])
    /// ```
    ///
    /// URLSession follows them on Apple platforms. In other chains, a limit (`.noCellular`, `.noExpensive`,
    /// `.noConstrained`) throws ``UnreadOptionError``, and the other hints have no effect. A call that finds no network
    /// it may use fails with ``TransportError/Kind/networkNotAllowed``.
    public consuming func network(_ hints: NetworkHints) -> Request {
        options[NetworkHints.Option.self] = hints
        return self
    }
}
