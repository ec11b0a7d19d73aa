/// The nesting limit for documents from outside, for recursive parsers.
package enum DocumentDepth {
    /// The maximum number of levels: 128, which fits the 512 KiB stack of a thread on Apple platforms.
    package static let limit = 128

    /// The error for a document in XML whose elements are nested deeper.
    static var exceeded: DecodingError {
        .dataCorrupted(
            DecodingError.Context(codingPath: [], debugDescription: "elements are nested deeper than \(limit) levels")
        )
    }
}
