/// The query parameters of a call: pairs in order, `Encodable` values, or an encoded query.
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
}

extension URLQuery {
    /// Makes a query from pairs.
    public init(_ parameters: URLParameters) {
        items = parameters.elements.map(Item.pair)
    }

    /// Makes a query from an `Encodable` value, which must encode as a keyed container.
    public static func encoding(_ value: some Encodable & Sendable) -> URLQuery {
        URLQuery(items: [.value(value)])
    }

    /// Makes a query from text that is already encoded, without a question mark (`"a=1&b=%20"`).
    ///
    /// The text is used unchanged, except that characters that are invalid in URLs are percent-encoded.
    public static func raw(_ text: String) -> URLQuery {
        URLQuery(items: [.raw(text)])
    }

    /// Whether there are no parameters.
    package var isEmpty: Bool { items.isEmpty }

    /// Concatenates two queries.
    public static func + (first: URLQuery, second: URLQuery) -> URLQuery {
        URLQuery(items: first.items + second.items)
    }
}

extension URLQuery: ExpressibleByDictionaryLiteral {
    /// Makes a query from pairs, in order.
    ///
    /// `nil` becomes ``URLValue/null``.
    public init(dictionaryLiteral elements: (String, (any URLValueConvertible)?)...) {
        self.init(URLParameters(elements.map { ($0.0, $0.1?.urlValue ?? .null) }))
    }
}
