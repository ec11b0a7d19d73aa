public import HTTPChainCore

/// Settings that say which request bodies are compressed, and how.
public struct CompressionSettings: Sendable, Hashable {
    /// With what, and how small.
    public var coding: ContentCoding
    /// The fewest bytes that are worth it; a body of unknown length is always compressed.
    public var minimumSize: ByteCount
    /// The types of content that are not compressed.
    public var skippedTypes: ContentTypeSet
    /// Up to which size a body in memory is compressed at once, so that its new length is known.
    public var lengthKnownUpTo: ByteCount

    /// Makes settings for gzip.
    ///
    /// - Parameters:
    ///   - level: Time against size; 6 by default.
    ///   - minimumSize: The fewest bytes that are worth it; 1 KiB by default, which fits a network packet anyway.
    ///   - skippedTypes: The types of content that are not compressed; by default those that are compressed already. A
    ///     body without a `Content-Type` is compressed.
    ///   - lengthKnownUpTo: Up to which size a body in memory is compressed at once and sent with a `Content-Length`;
    ///     256 KiB by default. Others are compressed as they are sent, with no length known.
    public init(
        level: CompressionLevel = .standard,
        minimumSize: ByteCount = .kibibytes(1),
        skippedTypes: ContentTypeSet = .alreadyCompressed,
        lengthKnownUpTo: ByteCount = .kibibytes(256)
    ) {
        self.init(
            coding: .gzip(level: level),
            minimumSize: minimumSize,
            skippedTypes: skippedTypes,
            lengthKnownUpTo: lengthKnownUpTo
        )
    }

    /// Makes settings for a coding.
    ///
    /// - Parameters:
    ///   - coding: The coding, such as `.gzip(level: 9)`; the products for brotli and zstd add `.brotli` and `.zstd`. A
    ///     coding that can only be undone is an error when a request is sent.
    ///   - minimumSize: The fewest bytes that are worth it; 1 KiB by default.
    ///   - skippedTypes: The types of content that are not compressed; by default those that are compressed already.
    ///   - lengthKnownUpTo: Up to which size a body in memory is compressed at once and sent with a `Content-Length`;
    ///     256 KiB by default.
    public init(
        coding: ContentCoding,
        minimumSize: ByteCount = .kibibytes(1),
        skippedTypes: ContentTypeSet = .alreadyCompressed,
        lengthKnownUpTo: ByteCount = .kibibytes(256)
    ) {
        self.coding = coding
        self.minimumSize = minimumSize
        self.skippedTypes = skippedTypes
        self.lengthKnownUpTo = lengthKnownUpTo
    }

    /// gzip at level 6, from 1 KiB on, but not what is compressed already.
    public static let standard = CompressionSettings()

    private var parts: [AnyHashable] {
        // Codings of one name are equal, however they are set.
        [coding, coding.settings, minimumSize, skippedTypes, lengthKnownUpTo]
    }

    /// Whether all settings are equal, those of the coding too.
    public static func == (first: CompressionSettings, second: CompressionSettings) -> Bool {
        first.parts == second.parts
    }

    /// All settings, those of the coding too.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts)
    }
}

/// Whether the body of one request is compressed, beside what ``GzipMiddleware`` does for all.
public enum RequestCompression: RequestOption {
    /// A rule of one call.
    public enum Rule: Sendable, Hashable {
        /// As the stage is set.
        case asConfigured
        /// Not compressed.
        case off
        /// Compressed with the stage's settings, or ``CompressionSettings/standard`` where it compresses nothing.
        case on
        /// Compressed with these settings.
        case using(CompressionSettings)
    }

    /// As the stage is set.
    public static var defaultValue: Rule { .asConfigured }
}

/// Whether the response to one request is decoded, beside what ``GzipMiddleware`` does for all.
public enum ResponseDecoding: RequestOption {
    /// A rule of one call.
    public enum Rule: Sendable, Hashable {
        /// As the stage is set.
        case asConfigured
        /// Left as it arrives, and no `Accept-Encoding` is added.
        case off
        /// Decoded within these limits.
        case limited(DecodingLimits)
    }

    /// As the stage is set.
    public static var defaultValue: Rule { .asConfigured }
}

extension Request {
    /// The request with its body compressed when it passes ``GzipMiddleware``.
    ///
    /// - Parameter settings: How; by default as the stage is set, or the standard settings where it compresses nothing.
    public consuming func compressed(_ settings: CompressionSettings? = nil) -> Request {
        options[RequestCompression.self] = settings.map { .using($0) } ?? .on
        return self
    }

    /// The request with its body left uncompressed by ``GzipMiddleware``.
    public consuming func uncompressed() -> Request {
        options[RequestCompression.self] = .off
        return self
    }

    /// The request with its response decoded within other limits than the stage's.
    public consuming func decodingResponse(limits: DecodingLimits) -> Request {
        options[ResponseDecoding.self] = .limited(limits)
        return self
    }

    /// The request with its response left encoded as it arrives, for a download that is stored compressed.
    ///
    /// A transport that decodes on its own, such as URLSession, does so in any case.
    public consuming func leavingResponseEncoded() -> Request {
        options[ResponseDecoding.self] = .off
        return self
    }
}
