/// A page of entities as OData JSON 4.01 §13 has it: the entities, their number, and where there are more.
public struct ODataPage<Item: Decodable & Sendable>: Decodable, Sendable {
    /// The entities.
    public let value: [Item]
    /// The number of all entities, of the other pages too; `nil` unless it was asked for with ``ODataQuery/count()``.
    public let count: Int?
    /// The URL of the next page, absolute or relative to the request's; `nil` on the last one.
    public let nextLink: String?
    /// The URL that tells of later changes; `nil` unless the service tracks them.
    public let deltaLink: String?

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads a page; control information may be written without `odata.`, as 4.01 allows, and the count as text, as
    /// services do that write 64-bit integers so.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        value = try container.decode([Item].self, forKey: Key("value"))
        func control<Value: Decodable>(_ name: String, _ type: Value.Type) -> Value? {
            for prefix in ["@odata.", "@"] {
                if let value = try? container.decode(type, forKey: Key(prefix + name)) { return value }
            }
            return nil
        }
        count = control("count", Int.self) ?? control("count", String.self).flatMap { Int($0) }
        nextLink = control("nextLink", String.self)
        deltaLink = control("deltaLink", String.self)
    }
}
