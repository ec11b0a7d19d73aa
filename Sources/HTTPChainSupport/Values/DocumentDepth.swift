/// The nesting limits for recursive parsers of documents from outside.
///
/// A thread has a stack of 8 MiB with glibc, and of 512 KiB on Apple platforms. Parsing to the small limits uses about
/// half of the latter in a debug build.
package enum DocumentDepth {
    #if canImport(Glibc)
    /// The maximum number of levels of JSON values and property lists: 128 with glibc, otherwise ``small``.
    package static let limit = 128
    /// The maximum number of levels of elements that XMLCoder reads: 128 with glibc, otherwise ``smallXML``.
    package static let xml = 128
    #else
    /// The maximum number of levels of JSON values and property lists: 128 with glibc, otherwise ``small``.
    package static let limit = small
    /// The maximum number of levels of elements that XMLCoder reads: 128 with glibc, otherwise ``smallXML``.
    package static let xml = smallXML
    #endif

    /// The maximum number of levels of JSON values and property lists that fits a stack of 512 KiB.
    package static let small = 64
    /// The maximum number of levels of elements that XMLCoder reads on a stack of 512 KiB.
    package static let smallXML = 20

    /// The error for an XML document with elements nested deeper than a limit.
    static func exceeded(_ limit: Int) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(codingPath: [], debugDescription: "elements are nested deeper than \(limit) levels")
        )
    }
}
