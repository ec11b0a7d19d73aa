#if Valkey
package import HTTPChainCore

/// The options of a Valkey store.
///
/// ```swift
/// var options = ValkeyCacheOptions()
/// options.prefix = "orders:cache:"
/// options.staleRetention = .seconds(3600)
/// ```
public struct ValkeyCacheOptions: Sendable, Hashable {
    /// The prefix of all keys on the server; "cache:" by default.
    ///
    /// Stores with the same prefix share their entries.
    public var prefix = "cache:"
    /// The number of bytes of a body per key; 128 KiB by default, and always between 64 KiB and 256 KiB.
    package var blockSize = ByteCount.kibibytes(128)
    /// The minimum time to keep a stale response, for validation or for stale use; a day by default.
    ///
    /// A response with a longer `stale-while-revalidate` or `stale-if-error` (RFC 5861) is kept for that time.
    public var staleRetention = Duration.seconds(86_400)
    /// The maximum time to keep a response without validation; 30 days by default.
    public var longestRetention = Duration.seconds(30 * 86_400)
    /// The maximum number of commands with blocks in flight; 16 by default, and at least 1.
    ///
    /// It limits the connection's memory to that many blocks, regardless of how many bodies are read and written.
    package var blocksInFlight = 16
    /// The number of failures in a row after which requests to the server pause; 3 by default, and at least 1.
    package var failuresBeforePause = 3
    /// The minimum and maximum length of the pause; a second to 30 seconds by default.
    ///
    /// It doubles with each failed attempt. During the pause, look-ups and writes fail immediately.
    package var pause = Duration.seconds(1)...Duration.seconds(30)

    /// Creates options; see each property for its default.
    public init() {}

    /// The permitted block sizes.
    static let blockSizes: ClosedRange<Int64> = 64 * 1024...256 * 1024

    var blockBytes: Int { Int(min(max(blockSize.bytes, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)) }
}
#endif
