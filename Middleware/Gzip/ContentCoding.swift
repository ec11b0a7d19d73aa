public import HTTPChainCore

/// A content coding: its name, its decoder and its encoder (RFC 9110 §8.4.1).
///
/// This module contains ``gzip`` and ``deflate``; brotli and zstd are in the separate products `HTTPChainBrotli` and
/// `HTTPChainZstd`, because they need C libraries. A custom coding is a name and a ``ContentDecoder``:
///
/// ```swift
/// let rot13 = ContentCoding("x-rot13") { RotatingDecoder() }
/// let stage = GzipMiddleware(codings: [.gzip, rot13.preferred(0.5)])
/// ```
public struct ContentCoding: Sendable {
    /// The name in `Content-Encoding`, in lower case.
    public let name: String
    /// Older names that servers use, in lower case.
    package let aliases: [String]
    /// The settings of the coding for display, such as "level 6"; empty if there are none.
    package let settings: String
    /// The relative preference in `Accept-Encoding`, from 0 to 1 (RFC 9110 §12.4.2).
    package private(set) var quality = 1.0

    let makeDecoder: @Sendable () throws -> sending any ContentDecoder
    let makeEncoder: (@Sendable () throws -> sending any ContentEncoder)?

    /// Makes a coding.
    ///
    /// - Parameters:
    ///   - name: The name, which is case-insensitive.
    ///   - aliases: Other names for it.
    ///   - settings: The settings of the encoder for display, such as "level 6".
    ///   - decoder: Creates a decoder each time a body is read. May throw a ``ContentCodingError/Problem``.
    ///   - encoder: Creates an encoder, in the same way. By default, the coding can only be decoded.
    public init(
        _ name: String,
        aliases: [String] = [],
        settings: String = "",
        decoder: @escaping @Sendable () throws -> sending any ContentDecoder,
        encoder: (@Sendable () throws -> sending any ContentEncoder)? = nil
    ) {
        self.name = name.lowercased()
        self.aliases = aliases.map { $0.lowercased() }
        self.settings = settings
        makeDecoder = decoder
        makeEncoder = encoder
    }

    /// gzip (RFC 1952) at level 6, also under its old name `x-gzip`.
    public static let gzip = gzip(level: 6)

    /// gzip (RFC 1952), also under its old name `x-gzip`.
    ///
    /// - Parameter level: The compression level for encoding, clamped to 0 (no compression) to 9. 1 is about three times
    ///   as fast as 6, the default of zlib and gzip; 9 is a little smaller, and much slower.
    public static func gzip(level: Int) -> ContentCoding {
        let level = min(9, max(0, level))
        return ContentCoding(
            "gzip",
            aliases: ["x-gzip"],
            settings: "level \(level)",
            decoder: { GzipDecoder(isDeflate: false) },
            encoder: { try GzipEncoder(level: level) }
        )
    }

    /// deflate, for responses: zlib-wrapped (RFC 1950) as the standard requires, or raw (RFC 1951) as some servers send
    /// it.
    public static let deflate = ContentCoding("deflate") { GzipDecoder(isDeflate: true) }

    /// Returns the coding with a different preference.
    ///
    /// - Parameter quality: The preference from 0 to 1, as in `Accept-Encoding` (`gzip;q=0.5`), clamped and rounded to
    ///   three digits. 0 asks the server not to use the coding. Content in this coding is still decoded.
    public func preferred(_ quality: Double) -> ContentCoding {
        var result = self
        result.quality = quality.isNaN ? 0 : (min(1, max(0, quality)) * 1000).rounded() / 1000
        return result
    }

    /// Whether a name in `Content-Encoding` is that of this coding; case-insensitive.
    package func isNamed(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return name == self.name || aliases.contains(name)
    }
}

extension ContentCoding: CustomStringConvertible, DescribedValue {
    /// The coding's name.
    package var words: String { name }
}
