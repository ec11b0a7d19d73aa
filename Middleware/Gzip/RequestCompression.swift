public import HTTPChainCore

/// The settings for compressing request bodies.
public struct CompressionSettings: Sendable, Hashable {
    /// The coding and its level.
    package var coding: ContentCoding {
        get { identified.coding }
        set { identified = IdentifiedCoding(coding: newValue) }
    }
    private var identified: IdentifiedCoding
    /// The minimum size of bodies that are compressed; a body of unknown length is always compressed.
    package var minimumSize: ByteCount
    /// The content types that aren't compressed.
    package var skippedTypes: ContentTypeSet
    /// The size up to which a body in memory is compressed immediately, so that its new length is known.
    package var lengthKnownUpTo: ByteCount

    /// Makes settings for a coding.
    ///
    /// - Parameters:
    ///   - coding: The coding, such as `.gzip(level: 9)`; the products for brotli and zstd add `.brotli` and `.zstd`.
    ///     With a coding that can only be decoded, sending a request throws an error.
    ///   - minimumSize: The minimum size of bodies that are compressed; 1 KiB by default.
    ///   - skippedTypes: The content types that aren't compressed; by default types that are already compressed.
    ///   - lengthKnownUpTo: The size up to which a body in memory is compressed immediately and sent with a
    ///     `Content-Length`; 256 KiB by default.
    public init(
        coding: ContentCoding = .gzip,
        minimumSize: ByteCount = .kibibytes(1),
        skippedTypes: ContentTypeSet = .alreadyCompressed,
        lengthKnownUpTo: ByteCount = .kibibytes(256)
    ) {
        identified = IdentifiedCoding(coding: coding)
        self.minimumSize = minimumSize
        self.skippedTypes = skippedTypes
        self.lengthKnownUpTo = lengthKnownUpTo
    }

    /// gzip at level 6, from 1 KiB, except for content that is already compressed.
    public static let standard = CompressionSettings()
}

/// A coding that is compared by its name and settings.
private struct IdentifiedCoding: Sendable, Hashable {
    let coding: ContentCoding

    static func == (first: IdentifiedCoding, second: IdentifiedCoding) -> Bool {
        first.coding.name == second.coding.name && first.coding.settings == second.coding.settings
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(coding.name)
        hasher.combine(coding.settings)
    }
}

/// Whether the body of a single request is compressed.
///
/// Overrides ``GzipMiddleware``.
///
/// A value of `nil` compresses with the stage's settings, or with ``CompressionSettings/standard`` if the stage doesn't
/// compress requests.
package enum CompressionOption: RequestOption {
    package typealias Value = CallSetting<CompressionSettings?>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".compression(_:)", reader: "GzipMiddleware()", phase: .compress)
    }
}

/// The limits for decoding the response to a single request.
///
/// Overrides those of ``GzipMiddleware``.
///
/// If decoding is off, the response is left unchanged, and no `Accept-Encoding` is added.
package enum DecompressionOption: RequestOption {
    package typealias Value = CallSetting<DecodingLimits>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".decompression(limits:)", reader: "GzipMiddleware()", phase: .compress)
    }
}

extension Request {
    /// Returns the request with its body compressed by ``GzipMiddleware`` with these settings.
    public consuming func compression(_ settings: CompressionSettings) -> Request {
        options[CompressionOption.self] = .value(settings)
        return self
    }

    /// Returns the request with compression by ``GzipMiddleware`` enabled or disabled.
    ///
    /// - Parameter isOn: Whether the body is compressed. The stage's settings apply, or the standard settings if the
    ///   stage doesn't compress requests.
    public consuming func compression(_ isOn: Bool = true) -> Request {
        options[CompressionOption.self] = isOn ? .value(nil) : .off
        return self
    }

    /// Returns the request with its own limits for decoding the response.
    public consuming func decompression(limits: DecodingLimits) -> Request {
        options[DecompressionOption.self] = .value(limits)
        return self
    }

    /// Returns the request with decoding of its response enabled or disabled.
    ///
    /// If decoding is disabled, the response stays encoded, for example for a download that is stored compressed. A
    /// transport that decodes by itself, such as URLSession, still decodes it.
    ///
    /// - Parameter isOn: Whether the response is decoded. `true` uses the stage's limits.
    public consuming func decompression(_ isOn: Bool) -> Request {
        options[DecompressionOption.self] = isOn ? .standard : .off
        return self
    }
}
