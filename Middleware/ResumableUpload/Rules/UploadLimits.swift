import HTTPChainCore

/// The limits that a server has told for uploads; what it has not told is nil.
struct UploadLimits: Sendable, Hashable {
    /// The largest and the smallest size of an upload: `Tus-Max-Size`; `max-size` and `min-size` of `Upload-Limit`.
    var maximumSize: Int64?
    var minimumSize: Int64?
    /// The largest and the smallest size of one append: `max-append-size` and `min-append-size` of `Upload-Limit`.
    var maximumPart: Int64?
    var minimumPart: Int64?

    /// Takes over what later limits tell.
    mutating func merge(_ later: UploadLimits) {
        maximumSize = later.maximumSize ?? maximumSize
        minimumSize = later.minimumSize ?? minimumSize
        maximumPart = later.maximumPart ?? maximumPart
        minimumPart = later.minimumPart ?? minimumPart
    }

    /// Why an upload of a length cannot be made within the limits; nil if it can.
    func problem(with length: Int64) -> UploadError.Problem? {
        if let maximumSize, length > maximumSize { return .tooLarge(length: length, limit: ByteCount(maximumSize)) }
        if let minimumSize, length < minimumSize { return .tooSmall(length: length, limit: ByteCount(minimumSize)) }
        return nil
    }

    /// The number of bytes of the next append.
    ///
    /// The last one of an upload may be smaller than the smallest (draft §4.1.4).
    ///
    /// - Parameters:
    ///   - wanted: The number of bytes that this side wants to send at most.
    ///   - remaining: The number of bytes that are missing.
    func partLength(wanted: Int64, remaining: Int64) -> Int64 {
        let largest = max(1, maximumPart ?? .max)
        return min(remaining, largest, max(1, wanted, minimumPart ?? 0))
    }
}
