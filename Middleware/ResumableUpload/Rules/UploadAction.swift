/// A request of an upload; ranges refer to the content.
enum UploadAction: Sendable, Hashable {
    /// Asks the server for its limits.
    case discover
    /// Creates the upload, with or without the first bytes of its content.
    case create(Range<Int64>)
    /// Asks how much of the content the server has.
    case findOffset
    /// Sends the next bytes, or completes the upload without any.
    case append(Range<Int64>, completes: Bool)
    /// Asks the server to remove the upload.
    case terminate

    /// The bytes that are included; nil if there are none.
    var content: Range<Int64>? {
        switch self {
        case .create(let range), .append(let range, _): range.isEmpty ? nil : range
        case .discover, .findOffset, .terminate: nil
        }
    }
}
