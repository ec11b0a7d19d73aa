#if Valkey
public import HTTPChainCore

/// The settings of a store in Valkey.
///
/// ```swift
/// var options = ValkeyCacheOptions()
/// options.prefix = "orders:cache:"
/// options.staleRetention = .seconds(3600)
/// ```
public struct ValkeyCacheOptions: Sendable, Hashable {
    /// The text that all keys on the server begin with; "cache:" by default.
    ///
    /// Stores with the same prefix share their entries.
    public var prefix = "cache:"
    /// The number of bytes of a body that one key has; 128 KiB by default, and never less than 64 KiB or more than 256
    /// KiB.
    public var blockSize = ByteCount.kibibytes(128)
    /// For how long a response is kept at least once it is stale, to be validated or used in an emergency; a day by
    /// default.
    ///
    /// A response whose `stale-while-revalidate` or `stale-if-error` is longer (RFC 5861) is kept for as long.
    public var staleRetention = Duration.seconds(86_400)
    /// For how long a response is kept at most without being validated; 30 days by default.
    public var longestRetention = Duration.seconds(30 * 86_400)
    /// The number of commands that carry blocks which may be in flight at once; 16 by default, and at least 1.
    ///
    /// It bounds the memory that the connection takes: as many blocks, however many bodies are read and written.
    public var blocksInFlight = 16
    /// After how many failures in a row the server is left alone for a while; 3 by default, and at least 1.
    public var failuresBeforePause = 3
    /// The shortest and the longest time for which it is left alone; a second to 30 seconds by default.
    ///
    /// The time doubles with each attempt that fails. Until it is over nothing is found and nothing is stored, at once.
    public var pause = Duration.seconds(1)...Duration.seconds(30)

    /// Makes the options; see each property for its default.
    public init() {}

    /// The sizes that a block may have.
    static let blockSizes: ClosedRange<Int64> = 64 * 1024...256 * 1024

    var blockBytes: Int { Int(min(max(blockSize.bytes, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)) }
}
#endif
