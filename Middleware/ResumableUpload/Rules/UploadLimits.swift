import HTTPChainCore

/// A server's limits for uploads.
///
/// Unknown limits are `nil`.
struct UploadLimits: Sendable, Hashable {
    /// The maximum and minimum size of an upload: `Tus-Max-Size`; `max-size` and `min-size` of `Upload-Limit`.
    var maximumSize: Int64?
    var minimumSize: Int64?
    /// The maximum and minimum size of an append: `max-append-size` and `min-append-size` of `Upload-Limit`.
    var maximumPart: Int64?
    var minimumPart: Int64?

    /// Updates the limits with newer ones.
    mutating func merge(_ later: UploadLimits) {
        maximumSize = later.maximumSize ?? maximumSize
        minimumSize = later.minimumSize ?? minimumSize
        maximumPart = later.maximumPart ?? maximumPart
        minimumPart = later.minimumPart ?? minimumPart
    }

    /// Returns the reason why an upload of this length isn't possible, or `nil` if it is possible.
    func problem(with length: Int64) -> UploadError.Problem? {
        if let maximumSize, length > maximumSize { return .tooLarge(length: length, limit: ByteCount(maximumSize)) }
        if let minimumSize, length < minimumSize { return .tooSmall(length: length, limit: ByteCount(minimumSize)) }
        return nil
    }

    /// Returns the size of the next append, in bytes.
    ///
    /// The last append may be smaller than the minimum (draft §4.1.4).
    ///
    /// - Parameters:
    ///   - wanted: The preferred maximum.
    ///   - remaining: The number of missing bytes.
    func partLength(wanted: Int64, remaining: Int64) -> Int64 {
        let largest = max(1, maximumPart ?? .max)
        return min(remaining, largest, max(1, wanted, minimumPart ?? 0))
    }
}
