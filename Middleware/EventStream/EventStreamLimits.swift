public import HTTPChainCore

/// The limits on the memory that a stream uses.
///
/// A stream that exceeds them fails with an ``EventStreamError``, and isn't reopened, because the server would send the
/// same data again.
public struct EventStreamLimits: Sendable, Hashable {
    /// The maximum size of a line, not counting its terminator, or of a JSON text in the other formats; 1 MiB by
    /// default.
    package var line: ByteCount
    /// The maximum size of an event's data; 16 MiB by default.
    package var event: ByteCount
    /// The maximum size of an ID and of a type name; 8 KiB by default, because the ID is sent in a header field.
    package var name: ByteCount

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - line: The maximum size of a line.
    ///   - event: The maximum size of an event's data.
    ///   - name: The maximum size of an ID and of a type name.
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
