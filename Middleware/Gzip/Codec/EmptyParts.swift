/// Counts the parts of content, such as frames and members, that hold nothing.
///
/// A sender needs few of them. Content of nothing else takes time for each, and reaches no limit of size or ratio.
package struct EmptyParts {
    /// The number of empty parts that there may be beyond the number of those with content.
    package static let limit = 1000

    private let name: String
    private var surplus = 0

    /// - Parameter name: The name of the parts, in the plural.
    package init(_ name: String) {
        self.name = name
    }

    /// Counts a part that has ended.
    ///
    /// - Throws: ``ContentCodingError/Problem/corrupt(_:)`` for too many empty ones.
    package mutating func count(_ size: UInt64) throws(ContentCodingError.Problem) {
        surplus += size == 0 ? 1 : -1
        guard surplus <= Self.limit else { throw .corrupt("there are more than \(Self.limit) empty \(name)") }
    }
}
