public import HTTPChainCore

/// How much of one stream is held in memory.
///
/// A stream that goes beyond them fails with an ``EventStreamError``, and is not opened again: the server would send the
/// same once more.
public struct EventStreamLimits: Sendable, Hashable {
    /// How long one line may be, without its end, and one JSON text of the other formats; 1 MiB by default.
    public var line: ByteCount
    /// How much data one event may have; 16 MiB by default.
    public var event: ByteCount
    /// How long an id and the name of a type may be; 8 KiB by default, because the id is sent in a header field.
    public var name: ByteCount

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - line: How long one line may be.
    ///   - event: How much data one event may have.
    ///   - name: How long an id and the name of a type may be.
    public init(
        line: ByteCount = .mebibytes(1),
        event: ByteCount = .mebibytes(16),
        name: ByteCount = .kibibytes(8)
    ) {
        self.line = line
        self.event = event
        self.name = name
    }
}
