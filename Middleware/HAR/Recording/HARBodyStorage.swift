public import HTTPChainCore

/// The size limit of recorded bodies, and the place where they are stored.
public struct HARBodyStorage: Sendable, Hashable {
    /// The number of bytes of a body that are recorded; the rest is only counted.
    package var limit: ByteCount
    /// The size above which a body is stored in a separate file next to the archive; `nil` for no separate files.
    package var fileThreshold: ByteCount?

    /// Stores bodies in the archive: text unchanged, everything else in base64.
    ///
    /// - Parameter limit: The maximum number of bytes recorded of each body; 1 MiB by default.
    public static func inline(upTo limit: ByteCount = .mebibytes(1)) -> HARBodyStorage {
        HARBodyStorage(limit: limit, fileThreshold: nil)
    }

    /// Stores large bodies unchanged in files next to the archive, in a folder `<archive>.bodies`.
    ///
    /// The entry's `_file` names the file, as in archives of Playwright.
    ///
    /// - Parameters:
    ///   - threshold: The size up to which a body stays in the archive; 16 KiB by default.
    ///   - limit: The maximum number of bytes recorded of each body; 64 MiB by default. They stay in memory until they
    ///     are written, because secrets can be found only in the complete text.
    public static func files(over threshold: ByteCount = .kibibytes(16), upTo limit: ByteCount = .mebibytes(64))
        -> HARBodyStorage
    {
        HARBodyStorage(limit: limit, fileThreshold: threshold)
    }

    /// Stores no bodies, only heads and times.
    public static let none = HARBodyStorage(limit: 0, fileThreshold: nil)
}
