/// Counts the empty parts of content, such as frames and members.
///
/// Senders need few of them. Content that consists only of them takes time for each, but reaches no limit of size or
/// ratio.
package struct EmptyParts {
    /// The maximum number of empty parts in excess of those with content.
    package static let limit = 1000

    private let name: String
    private var surplus = 0

    /// - Parameter name: The name of the parts, in the plural.
    package init(_ name: String) {
        self.name = name
    }

    /// Counts a finished part.
    ///
    /// - Throws: ``ContentCodingError/Problem/corrupt(_:)`` if there are too many empty ones.
    package mutating func count(_ size: UInt64) throws(ContentCodingError.Problem) {
        surplus += size == 0 ? 1 : -1
        guard surplus <= Self.limit else { throw .corrupt("there are more than \(Self.limit) empty \(name)") }
    }
}
