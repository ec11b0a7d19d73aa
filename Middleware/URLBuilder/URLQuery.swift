/// The query parameters of one call: pairs in order, `Encodable` values, or text that is a query already.
///
/// ```swift
/// let pairs = Request.get("search", query: ["q": "swift", "tags": ["a", "b"], "page": page])   // page: Int?
/// let value = Request.get("search", query: .encoding(filter))
/// let both = Request.get("search", query: .encoding(filter) + ["page": 2])
/// ```
public struct URLQuery: Sendable {
    enum Item: Sendable {
        case pair(URLParameters.Element)
        case value(any Encodable & Sendable)
        case raw(String)
    }

    var items: [Item]

    /// Makes a query of pairs.
    public init(_ parameters: URLParameters) {
        items = parameters.elements.map(Item.pair)
    }

    /// The keys and values of an `Encodable` value, which encodes as a keyed container.
    public static func encoding(_ value: some Encodable & Sendable) -> URLQuery {
        var query = URLQuery([:])
        query.items = [.value(value)]
        return query
    }

    /// A query that is encoded already, without its question mark (`"a=1&b=%20"`).
    ///
    /// It is kept as it is; only characters that no URL may hold are percent-encoded.
    public static func raw(_ text: String) -> URLQuery {
        var query = URLQuery([:])
        query.items = [.raw(text)]
        return query
    }

    /// Whether there are no parameters.
    public var isEmpty: Bool { items.isEmpty }

    /// One query after the other.
    public static func + (first: URLQuery, second: URLQuery) -> URLQuery {
        var query = first
        query.items += second.items
        return query
    }
}

extension URLQuery: ExpressibleByDictionaryLiteral {
    /// Makes a query of pairs, in order; `nil` is ``URLValue/null``.
    public init(dictionaryLiteral elements: (String, (any URLValueConvertible)?)...) {
        self.init(URLParameters(elements.map { ($0.0, $0.1?.urlValue ?? .null) }))
    }
}
