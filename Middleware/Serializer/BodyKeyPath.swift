public import HTTPChainCore
import HTTPChainSupport

/// A position in a body, as a sequence of keys, outermost first.
///
/// In a string, keys are separated by dots, as in `"data.items"`. A number is an array index, as in `"results.0"`. If
/// the keys themselves contain dots, use an array, such as `["odata.context", "value"]`. An empty path, `""`, is the
/// whole body.
public struct BodyKeyPath: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    CustomStringConvertible, DescribedValue
{
    /// The keys, outermost first.
    package let keys: [String]

    /// The whole body.
    package static let whole = BodyKeyPath(keys: [])

    /// Makes a path from its keys.
    package init(keys: [String]) {
        self.keys = keys
    }

    /// Makes a path from keys separated by dots.
    ///
    /// An empty string is the whole body.
    public init(_ path: String) {
        keys = path.pieces(at: ".").map(String.init)
    }

    /// Makes a path from a coding path.
    init(codingPath: [any CodingKey]) {
        keys = codingPath.map { key in key.intValue.map(String.init) ?? key.stringValue }
    }

    /// Makes a path from keys separated by dots.
    public init(stringLiteral path: String) {
        self.init(path)
    }

    /// Makes a path from its keys.
    public init(arrayLiteral keys: String...) {
        self.init(keys: keys)
    }

    /// Whether the path is the whole body.
    package var isWhole: Bool { keys.isEmpty }

    /// The keys, separated by dots.
    package var words: String { keys.joined(separator: ".") }
}

/// A key that isn't known at compile time.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
