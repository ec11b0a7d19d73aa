/// A content coding: its name, how it is undone, and how it is applied (RFC 9110 §8.4.1).
///
/// ``gzip`` and ``deflate`` are here; brotli and zstd are in products of their own, `HTTPChainBrotli` and
/// `HTTPChainZstd`, whose C libraries not every application wants. A coding of your own is a name and a
/// ``ContentDecoder``:
///
/// ```swift
/// let rot13 = ContentCoding("x-rot13") { RotatingDecoder() }
/// let stage = GzipMiddleware(codings: [.gzip, rot13.preferred(0.5)])
/// ```
///
/// Two codings are equal when their names are.
public struct ContentCoding: Sendable, Hashable, CustomStringConvertible {
    /// The name as `Content-Encoding` has it, in lower case.
    public let name: String
    /// Older names under which servers send it, in lower case.
    public let aliases: [String]
    /// The settings of the coding, for people: "level 6"; empty where there is nothing to say.
    public let settings: String
    /// The preference beside others, 0 to 1, for `Accept-Encoding` (RFC 9110 §12.4.2).
    public private(set) var quality = 1.0

    let makeDecoder: @Sendable () throws -> sending any ContentDecoder
    let makeEncoder: (@Sendable () throws -> sending any ContentEncoder)?

    /// Makes a coding that is only undone, for responses.
    ///
    /// - Parameters:
    ///   - name: The name; letter case does not matter.
    ///   - aliases: Other names for it.
    ///   - decoder: Makes what undoes it, once for each reading of a body; may throw a
    ///     ``ContentCodingError/Problem``.
    public init(
        _ name: String,
        aliases: [String] = [],
        decoder: @escaping @Sendable () throws -> sending any ContentDecoder
    ) {
        self.name = name.lowercased()
        self.aliases = aliases.map { $0.lowercased() }
        settings = ""
        makeDecoder = decoder
        makeEncoder = nil
    }

    /// Makes a coding that is undone and applied.
    ///
    /// - Parameters:
    ///   - name: The name; letter case does not matter.
    ///   - aliases: Other names for it.
    ///   - settings: How it is applied, for people: "level 6".
    ///   - decoder: Makes what undoes it, once for each reading of a body; may throw a
    ///     ``ContentCodingError/Problem``.
    ///   - encoder: Makes what applies it, in the same way.
    public init(
        _ name: String,
        aliases: [String] = [],
        settings: String = "",
        decoder: @escaping @Sendable () throws -> sending any ContentDecoder,
        encoder: @escaping @Sendable () throws -> sending any ContentEncoder
    ) {
        self.name = name.lowercased()
        self.aliases = aliases.map { $0.lowercased() }
        self.settings = settings
        makeDecoder = decoder
        makeEncoder = encoder
    }

    /// gzip (RFC 1952) at level 6, also under its old name `x-gzip`.
    public static let gzip = gzip(level: .standard)

    /// gzip (RFC 1952), also under its old name `x-gzip`.
    ///
    /// - Parameter level: Time against size, where it is applied.
    public static func gzip(level: CompressionLevel) -> ContentCoding {
        ContentCoding(
            "gzip",
            aliases: ["x-gzip"],
            settings: "level \(level)",
            decoder: { GzipDecoder(isDeflate: false) },
            encoder: { try GzipEncoder(level: level) }
        )
    }

    /// deflate, for responses: zlib-wrapped (RFC 1950) as the standard has it, or raw (RFC 1951) as some servers send it.
    public static let deflate = ContentCoding("deflate") { GzipDecoder(isDeflate: true) }

    /// The coding with another preference.
    ///
    /// - Parameter quality: 0 to 1, as `Accept-Encoding` says it (`gzip;q=0.5`): three digits count, what lies outside
    ///   becomes the nearer end. 0 asks the server not to use it; what comes nevertheless is decoded.
    public func preferred(_ quality: Double) -> ContentCoding {
        var result = self
        result.quality = quality.isNaN ? 0 : (min(1, max(0, quality)) * 1000).rounded() / 1000
        return result
    }

    /// Whether a name in `Content-Encoding` means this coding; letter case does not matter.
    public func isNamed(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return name == self.name || aliases.contains(name)
    }

    /// The coding's name.
    public var description: String { name }

    /// Whether the names are equal.
    public static func == (first: ContentCoding, second: ContentCoding) -> Bool { first.name == second.name }

    /// The name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
