public import HTTPChainCore

/// The limits of what is kept of one stream in memory.
///
/// A stream that goes beyond them fails with an ``EventStreamError``, and is not opened again: the server would send the
/// same once more.
public struct EventStreamLimits: Sendable, Hashable {
    /// The largest size of one line, without its end, and one JSON text of the other formats; 1 MiB by default.
    public var line: ByteCount
    /// The largest size of the data of one event; 16 MiB by default.
    public var event: ByteCount
    /// The largest size of an id and of the name of a type; 8 KiB by default, because the id is sent in a header field.
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
