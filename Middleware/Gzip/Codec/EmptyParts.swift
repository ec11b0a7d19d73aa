/// Counts the empty parts of content, such as frames and members.
///
/// Senders need few of them. Content that consists only of empty parts takes time to decode, but never reaches a limit
/// on size or ratio.
package struct EmptyParts {
    /// The maximum number by which empty parts may exceed those with content.
    package static let limit = 1000

    private let name: String
    private var surplus = 0

    /// - Parameter name: The plural name of the parts.
    package init(_ name: String) {
        self.name = name
    }

    /// Counts a complete part.
    ///
    /// - Throws: ``ContentCodingError/Problem/corrupt(_:)`` if there are too many empty ones.
    package mutating func count(_ size: UInt64) throws(ContentCodingError.Problem) {
        surplus += size == 0 ? 1 : -1
        guard surplus <= Self.limit else { throw .corrupt("there are more than \(Self.limit) empty \(name)") }
    }
}
