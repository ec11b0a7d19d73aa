// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
// The part of swift-http-structured-headers that the rules use; the library is not for embedded Swift.

public enum RFC9651BareItem: Sendable {
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case token(String)
}

public struct Item: Sendable {
    public var rfc9651BareItem: RFC9651BareItem
}

public enum ItemOrInnerList: Sendable {
    case item(Item)
    case innerList
}

public struct StructuredFieldValueParser {
    public struct Malformed: Error {}

    public init(_ bytes: [UInt8]) {}

    public mutating func parseDictionaryFieldValue() throws(Malformed) -> [(String, ItemOrInnerList)] { [] }
}
