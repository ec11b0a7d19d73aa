/// A contiguous part of one version of a representation, with the rule for joining other parts to it (RFC 9110
/// §15.3.7.3, RFC 9111 §3.4).
package struct PartialContent: Sendable, Hashable {
    /// The reason why two parts can't be joined.
    package enum Obstacle: String, Error {
        case version = "the version is not the same"
        case length = "the size is not the same"
        case gap = "the range is not the one that is missing"
    }

    package let validators: Validators
    /// The positions of the bytes; empty until the first byte has arrived.
    package private(set) var range: Range<Int64>
    /// The length of the whole representation, if known.
    package var length: Int64?

    package init(_ validators: Validators, _ range: ContentRange) {
        self.validators = validators
        self.range = range.range
        length = range.length
    }

    /// Adds bytes that arrived at the end.
    package mutating func extend(by count: Int) {
        range = range.lowerBound..<(range.upperBound + Int64(count))
    }

    /// Joins a part, if it is of the same version and there is no gap between them.
    ///
    /// - Parameters:
    ///   - part: The part to join. It may overlap the existing bytes.
    ///   - condition: The `If-Range` with which it was requested, or `nil` if there was none.
    /// - Throws: The reason why they can't be joined.
    package func joined(
        with part: PartialContent,
        requestedIf condition: String?
    ) throws(Obstacle) -> PartialContent {
        guard validators.isSameVersion(as: part.validators, requestedIf: condition) else { throw .version }
        var joined = self
        joined.range =
            min(range.lowerBound, part.range.lowerBound)..<max(range.upperBound, part.range.upperBound)
        joined.length = length ?? part.length
        guard part.length ?? joined.length == joined.length, joined.range.upperBound <= joined.length ?? .max else {
            throw .length
        }
        guard range.lowerBound <= part.range.upperBound, part.range.lowerBound <= range.upperBound else {
            throw .gap
        }
        return joined
    }
}
