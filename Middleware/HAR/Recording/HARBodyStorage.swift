public import HTTPChainCore

/// The size of the part of each body that is recorded, and the place for it.
public struct HARBodyStorage: Sendable, Hashable {
    /// The number of bytes of a body that are recorded; the rest passes and is counted.
    public var limit: ByteCount
    /// From which size on a body goes into a file of its own beside the archive; `nil` for never.
    public var fileThreshold: ByteCount?

    /// In the archive: text as it is, all else in base64.
    ///
    /// - Parameter limit: How many bytes of a body are recorded; 1 MiB by default.
    public static func inline(upTo limit: ByteCount = .mebibytes(1)) -> HARBodyStorage {
        HARBodyStorage(limit: limit, fileThreshold: nil)
    }

    /// Large ones in files beside the archive, in a folder `<archive>.bodies`, as they are.
    ///
    /// Playwright names such files in `_file`, and so does this.
    ///
    /// - Parameters:
    ///   - threshold: Up to which size a body stays in the archive; 16 KiB by default.
    ///   - limit: How many bytes of a body are recorded; 64 MiB by default. That much of each body that passes is in
    ///     memory until it is written, because a secret is found only in all of a text.
    public static func files(over threshold: ByteCount = .kibibytes(16), upTo limit: ByteCount = .mebibytes(64))
        -> HARBodyStorage
    {
        HARBodyStorage(limit: limit, fileThreshold: threshold)
    }

    /// Not at all: heads and times only.
    public static let none = HARBodyStorage(limit: 0, fileThreshold: nil)
}
