import HTTPChainSupport

/// The system query options of a query, or of an expansion inside it; OData URL Conventions 4.01 §5.1.
struct ODataQueryOptions: Sendable {
    var filter: ODataNode?
    var orders: [(ODataNode, ODataDirection)] = []
    var top: Int?
    var skip: Int?
    var select: [String] = []
    var selectNodes: [ODataNode] = []
    var expansions: [(property: String, options: [ODataExpansion])] = []
    var count = false
    var search: ODataSearch?
    var levels: String?

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
        if let levels { pairs.append(("levels", levels)) }
        return pairs
    }

    private static func text(of property: String, _ expansions: [ODataExpansion]) throws(ODataQueryError) -> String {
        let name = try ODataName.path(property)
        var options = ODataQueryOptions()
        for expansion in expansions { expansion.apply(&options) }
        let pairs = try options.pairs()
        if pairs.isEmpty { return name }
        return "\(name)(\(pairs.map { "$\($0.name)=\($0.value)" }.joined(separator: ";")))"
    }
}

/// An option of an expansion, which includes related entities in the response.
///
/// ```swift
/// query.expand("Friends", .select("Name"), .filter(.property("Age") > 30), .expand("Trips", .top(3)))
/// ```
public struct ODataExpansion: Sendable {
    let apply: @Sendable (inout ODataQueryOptions) -> Void

    /// Limits the entities to those that match a filter.
    public static func filter(_ filter: ODataExpression<ODataAnyEntity>) -> ODataExpansion {
        ODataExpansion { $0.add(filter: filter.node) }
    }

    /// Limits the entities to those that match a filter written with key paths of their type.
    public static func filter<Target: ODataEntity>(
        _ type: Target.Type,
        _ filter: ODataExpression<Target>
    ) -> ODataExpansion {
        ODataExpansion { $0.add(filter: filter.node) }
    }

    /// Orders the entities by a property.
    public static func orderBy(_ property: String, _ direction: ODataDirection = .ascending) -> ODataExpansion {
        ODataExpansion { $0.orders.append((.path(property), direction)) }
    }

    /// Limits the entities to the first `count`.
    public static func top(_ count: Int) -> ODataExpansion { ODataExpansion { $0.top = count } }

    /// Skips the first `count` entities.
    public static func skip(_ count: Int) -> ODataExpansion { ODataExpansion { $0.skip = count } }

    /// Limits the entities to these properties.
    public static func select(_ properties: String...) -> ODataExpansion {
        ODataExpansion { $0.select += properties }
    }

    /// Includes the related entities of a property.
    public static func expand(_ property: String, _ options: ODataExpansion...) -> ODataExpansion {
        ODataExpansion { $0.expansions.append((property, options)) }
    }

    /// Includes the number of entities.
    public static var count: ODataExpansion { ODataExpansion { $0.count = true } }

    /// Limits the entities to those that match a free-text search.
    public static func search(_ search: ODataSearch) -> ODataExpansion { ODataExpansion { $0.search = search } }

    /// Repeats the expansion to a number of levels if a property refers to entities of the same kind; `nil` for no
    /// limit.
    public static func levels(_ count: Int?) -> ODataExpansion {
        ODataExpansion { $0.levels = count.map(String.init) ?? "max" }
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

    /// Returns a search for a word, or for a phrase if it contains anything but letters and digits, or is a keyword of
    /// the search language.
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
