import HTTPChainSupport

/// A page of entities in OData JSON 4.01 §13: the entities, their number, and the link to the next page.
public struct ODataPage<Item: Decodable & Sendable>: Decodable, Sendable {
    /// The entities.
    public let value: [Item]
    /// The number of all entities, including other pages; `nil` unless requested with ``ODataQuery/count()``.
    public let count: Int64?
    /// The URL of the next page; `nil` on the last one.
    ///
    /// A service may write it relative to the page's context URL (OData JSON 4.01 §4.5.1). Here it is already resolved
    /// against that URL. It is relative to the request's URL only if the page has no context URL, or a relative one.
    public let nextLink: String?
    /// The URL of later changes, resolved like ``nextLink``; `nil` unless the service tracks them.
    public let deltaLink: String?

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes a page.
    ///
    /// Control information may omit `odata.`, as 4.01 allows, and the count may be text, because some services write
    /// 64-bit integers as text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        value = try container.decode([Item].self, forKey: Key("value"))
        func control<Value: Decodable>(_ name: String, _ type: Value.Type) -> Value? {
            for prefix in ["@odata.", "@"] {
                if let value = try? container.decode(type, forKey: Key(prefix + name)) { return value }
            }
            return nil
        }
        count = control("count", Int64.self) ?? control("count", String.self).flatMap { Int64($0) }
        let context = ODataContext(control("context", String.self))
        nextLink = control("nextLink", String.self).map(context.resolve)
        deltaLink = control("deltaLink", String.self).map(context.resolve)
    }
}

/// The context URL of a payload, which is the base of its relative URLs, OData JSON 4.01 §4.5.1.
struct ODataContext {
    private let url: URIReference?

    init(_ text: String?) { url = text.map { URIReference($0) } }

    /// Returns the link, in a form that can be resolved against the request's URL.
    func resolve(_ link: String) -> String {
        let reference = URIReference(link)
        // Strictly, a link with only a query would refer to the metadata document, but services mean the requested
        // collection.
        guard let url, reference.scheme == nil, reference.authority == nil, !reference.path.isEmpty else { return link }
        if url.scheme != nil { return reference.resolved(against: url).text }
        // The context is relative to the request, so its directory is placed before the link, including leading dot
        // segments.
        var joined = reference
        joined.authority = url.authority
        if reference.path.utf8.first != UInt8(ascii: "/") {
            joined.path = url.directory + reference.path
        }
        return joined.text
    }
}
