/// A request of an upload.
///
/// Ranges are in bytes of the content.
enum UploadAction: Sendable, Hashable {
    /// Asks the server for its limits.
    case discover
    /// Creates the upload, with or without the first bytes of its content.
    case create(Range<Int64>)
    /// Asks how much of the content the server has received.
    case findOffset
    /// Sends the next bytes, or completes the upload without sending any.
    case append(Range<Int64>, completes: Bool)
    /// Asks the server to remove the upload.
    case terminate

    /// The bytes that the request includes, or `nil` if there are none.
    var content: Range<Int64>? {
        switch self {
        case .create(let range), .append(let range, _): range.isEmpty ? nil : range
        case .discover, .findOffset, .terminate: nil
        }
    }
}
