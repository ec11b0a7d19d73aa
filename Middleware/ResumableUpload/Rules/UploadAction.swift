/// A request that an upload consists of; ranges are of the content.
enum UploadAction: Sendable, Hashable {
    /// Asks the server for its limits.
    case discover
    /// Creates the upload, with the first bytes of its content or none.
    case create(Range<Int64>)
    /// Asks how much of the content the server has.
    case findOffset
    /// Sends the next bytes, or says with none that these were all.
    case append(Range<Int64>, completes: Bool)
    /// Tells the server that nobody goes on with the upload.
    case terminate

    /// The bytes that are sent along; nil for none.
    var content: Range<Int64>? {
        switch self {
        case .create(let range), .append(let range, _): range.isEmpty ? nil : range
        case .discover, .findOffset, .terminate: nil
        }
    }
}
