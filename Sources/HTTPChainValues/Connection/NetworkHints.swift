/// Hints for the platform about one request, and limits to the networks that may carry it; see `Request.network(_:)`.
public struct NetworkHints: OptionSet, Sendable, Hashable {
    /// One bit for each hint.
    public let rawValue: UInt

    /// Makes hints from bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The user isn't waiting for the response, so other traffic may be preferred.
    public static let background = NetworkHints(rawValue: 1 << 0)
    /// The user is waiting for the response.
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
}
