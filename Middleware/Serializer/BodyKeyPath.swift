import HTTPChainSupport

/// A place in a body, key by key, outermost first.
///
/// As text the keys are separated by dots, `"data.items"`; a number goes into an array, `"results.0"`. Keys that hold
/// a dot themselves are given as an array, `["odata.context", "value"]`.
public struct BodyKeyPath: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    CustomStringConvertible
{
    /// The keys, outermost first.
    public let keys: [String]

    /// The body as a whole.
    public static let whole = BodyKeyPath(keys: [])

    /// A place given by its keys.
    public init(keys: [String]) {
        self.keys = keys
    }

    /// A place given by keys with dots between them; no text is the body as a whole.
    public init(_ path: String) {
        keys = path.pieces(at: ".").map(String.init)
    }

    /// The place that a coder says it is at.
    init(codingPath: [any CodingKey]) {
        keys = codingPath.map { key in key.intValue.map(String.init) ?? key.stringValue }
    }

    /// A place given by keys with dots between them.
    public init(stringLiteral path: String) {
        self.init(path)
    }

    /// A place given by its keys.
    public init(arrayLiteral keys: String...) {
        self.init(keys: keys)
    }

    /// Whether the place is the body as a whole.
    public var isWhole: Bool { keys.isEmpty }

    /// The keys with dots between them.
    public var description: String { keys.joined(separator: ".") }
}

/// A key that is not known when the program is compiled.
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
