import HTTPChainSupport

/// The system query options of a query, or of an expansion inside it; OData URL Conventions 4.01 §5.1.
struct ODataQueryOptions: Sendable {
    var filter: ODataNode?
    var orders: [(ODataNode, ODataDirection)] = []
    var top: Int?
    var skip: Int?
    var select: [String] = []
    var selectNodes: [ODataNode] = []
    var expansions: [(property: String, options: ODataQueryOptions)] = []
    var count = false
    var search: ODataSearch?
    /// The levels of an expansion; `Int.max` for no limit.
    var levels: Int?
    /// Whether an expansion can have these options: false if there is a key, a path or a custom option.
    var isExpansion = true

    mutating func add(filter node: ODataNode) {
        filter = filter.map { .binary(.and, $0, node) } ?? node
    }

    /// Returns the names, without dollar signs, and values before percent-encoding.
    func pairs() throws(ODataQueryError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        if let filter { pairs.append(("filter", try ODataWriter.text(of: filter))) }
        var orderTexts: [String] = []
        for (node, direction) in orders {
            orderTexts.append(try ODataWriter.text(of: node) + (direction == .descending ? " desc" : ""))
        }
        if !orderTexts.isEmpty { pairs.append(("orderby", orderTexts.joined(separator: ","))) }
        for (name, count) in [("top", top), ("skip", skip)] {
            guard let count else { continue }
            guard count >= 0 else { throw ODataQueryError(.negativeCount(count)) }
            pairs.append((name, String(count)))
        }
        var selected: [String] = []
        for name in select { selected.append(name == "*" ? name : try ODataName.path(name)) }
        for node in selectNodes { selected.append(try ODataWriter.text(of: node)) }
        if !selected.isEmpty { pairs.append(("select", selected.joined(separator: ","))) }
        var expanded: [String] = []
        for (property, options) in expansions { expanded.append(try Self.text(of: property, options)) }
        if !expanded.isEmpty { pairs.append(("expand", expanded.joined(separator: ","))) }
        if count { pairs.append(("count", "true")) }
        if let search { pairs.append(("search", search.text)) }
        if let levels, levels < 0 { throw ODataQueryError(.negativeCount(levels)) }
        if let levels { pairs.append(("levels", levels == .max ? "max" : String(levels))) }
        return pairs
    }

    private static func text(of property: String, _ options: ODataQueryOptions) throws(ODataQueryError) -> String {
        let name = try ODataName.path(property)
        guard options.isExpansion else { throw ODataQueryError(.invalidExpansion(property)) }
        let pairs = try options.pairs()
        if pairs.isEmpty { return name }
        return "\(name)(\(pairs.map { "$\($0.name)=\($0.value)" }.joined(separator: ";")))"
    }
}

/// A free-text search, OData URL Conventions 4.01 §5.1.7.
///
/// ```swift
/// query.search("mountain" && !.phrase("electric bike"))     // mountain AND NOT "electric bike"
/// ```
public struct ODataSearch: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String
    private let isCompound: Bool

    private init(_ text: String, isCompound: Bool) {
        self.text = text
        self.isCompound = isCompound
    }

    /// Returns a search for adjacent words.
    public static func phrase(_ text: String) -> ODataSearch {
        ODataSearch(Escaping.odataPhrase(text), isCompound: false)
    }

    /// Returns a search for a word.
    ///
    /// If the text contains anything but letters and digits, or is a keyword of the search language, returns a search
    /// for a phrase.
    public static func word(_ text: String) -> ODataSearch {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        guard isPlain, !["AND", "OR", "NOT"].contains(text) else { return .phrase(text) }
        return ODataSearch(text, isCompound: false)
    }

    /// Creates a search for a word or a phrase.
    public init(stringLiteral value: String) { self = .word(value) }

    /// Both searches match.
    public static func && (left: ODataSearch, right: ODataSearch) -> ODataSearch {
        ODataSearch("\(left.grouped) AND \(right.grouped)", isCompound: true)
    }

    /// At least one search matches.
    public static func || (left: ODataSearch, right: ODataSearch) -> ODataSearch {
        ODataSearch("\(left.grouped) OR \(right.grouped)", isCompound: true)
    }

    /// The search does not match.
    public static prefix func ! (search: ODataSearch) -> ODataSearch {
        ODataSearch("NOT \(search.grouped)", isCompound: true)
    }

    private var grouped: String { isCompound ? "(\(text))" : text }
}
