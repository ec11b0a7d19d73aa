public import HTTPChainCore
import HTTPChainSupport

/// A set of media types, for content that isn't worth compressing.
///
/// A pattern is a type such as `application/zip`, all types of a kind such as `video/*`, or all types with a suffix
/// such as `*/*+zip` (RFC 6839). Parameters are ignored, and matching is case-insensitive.
public struct ContentTypeSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    private let patterns: Set<String>
    private let exceptions: Set<String>

    /// Makes a set.
    ///
    /// - Parameters:
    ///   - patterns: The types in the set.
    ///   - exceptions: Types that are excluded even if a pattern matches.
    package init(_ patterns: some Sequence<String>, except exceptions: some Sequence<String> = []) {
        self.patterns = Set(patterns.map { $0.lowercased() })
        self.exceptions = Set(exceptions.map { $0.lowercased() })
    }

    /// Makes a set of patterns.
    public init(arrayLiteral elements: String...) {
        self.init(elements)
    }

    /// Types whose formats are already compressed: images (not SVG, BMP, TIFF, icons), audio (not WAV, MIDI), video,
    /// archives, fonts, documents.
    public static let alreadyCompressed = ContentTypeSet(
        [
            "image/*", "audio/*", "video/*", "font/woff", "font/woff2", "*/*+zip", "*/*+gzip", "*/*+zstd",
            "application/zip", "application/gzip", "application/x-gzip", "application/x-bzip2", "application/x-bzip",
            "application/x-xz", "application/zstd", "application/x-7z-compressed", "application/vnd.rar",
            "application/x-rar-compressed", "application/java-archive", "application/x-compress",
            "application/x-brotli", "application/x-lzma", "application/x-lzip",
            "application/vnd.android.package-archive",
            "application/font-woff", "application/font-woff2", "application/pdf",
            "application/vnd.openxmlformats-officedocument.*", "application/vnd.oasis.opendocument.*",
        ],
        except: [
            "image/svg+xml", "image/bmp", "image/x-ms-bmp", "image/tiff", "image/x-icon", "image/vnd.microsoft.icon",
            "audio/wav", "audio/x-wav", "audio/vnd.wave", "audio/midi", "audio/x-midi", "application/x-tar",
        ]
    )

    /// Whether a `Content-Type` value has a type of the set.
    package func contains(_ contentType: String) -> Bool {
        let essence = contentType.unicodeScalars.prefix { $0 != ";" }
        let type = String(essence.filter { !$0.properties.isWhitespace }).lowercased()
        if exceptions.contains(type) { return false }
        if patterns.contains(type) { return true }
        guard let slash = type.unicodeScalars.firstIndex(of: "/") else { return false }
        if patterns.contains(type[...slash] + "*") { return true }
        if let plus = type.unicodeScalars.lastIndex(of: "+"), patterns.contains("*/*" + type[plus...]) { return true }
        return patterns.contains { $0.ends(with: ".*") && $0.without(suffix: "*").map(type.begins) == true }
    }
}

extension ContentTypeSet: CustomStringConvertible, DescribedValue {
    /// The patterns, sorted alphabetically.
    package var words: String { patterns.sorted().joined(separator: ", ") }
}
