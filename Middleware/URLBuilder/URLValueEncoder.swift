import Foundation

/// Turns an `Encodable` value into named values in the order it encodes them.
///
/// Dates stay dates, so that the query's own style writes them; `Data` is base64; a key whose optional value is `nil`
/// is kept as ``URLValue/null``.
enum URLValueEncoder {
    static func encode(_ value: some Encodable) throws -> URLValue {
        let node = Node()
        try node.encode(value, path: [])
        return node.value
    }
}

/// A value as it is being encoded: containers are handed out before they are filled.
private final class Node {
    private enum Content {
        case none
        case single(URLValue)
        case list([Node])
        case map([(key: String, node: Node)])
    }

    private var content = Content.none
    private var isSorted = false

    var value: URLValue {
        switch content {
        case .none: .null
        case .single(let value): value
        case .list(let nodes): .array(nodes.map(\.value))
        case .map(let pairs):
            .dictionary(
                URLParameters((isSorted ? pairs.sorted { $0.key < $1.key } : pairs).map { ($0.key, $0.node.value) })
            )
        }
    }

    func encode(_ value: some Encodable, path: [any CodingKey]) throws {
        switch value {
        case let value as any URLValueConvertible where !value.urlValue.isComposite:
            content = .single(value.urlValue)
        case let value as Data:
            content = .single(.string(value.base64EncodedString()))
        default:
            try value.encode(to: NodeEncoder(node: self, codingPath: path))
            // A dictionary has no order of its own; the URL should come out the same each time.
            isSorted = value is any StringKeyed
        }
    }

    func set(_ value: URLValue) { content = .single(value) }

    var count: Int {
        if case .list(let nodes) = content { return nodes.count }
        return 0
    }

    func beginList() {
        if case .list = content { return }
        content = .list([])
    }

    func beginMap() {
        if case .map = content { return }
        content = .map([])
    }

    func appendChild() -> Node {
        let child = Node()
        if case .list(var nodes) = content {
            nodes.append(child)
            content = .list(nodes)
        }
        return child
    }

    func child(_ key: String) -> Node {
        guard case .map(var pairs) = content else { return Node() }
        if let known = pairs.first(where: { $0.key == key }) { return known.node }
        let child = Node()
        pairs.append((key, child))
        content = .map(pairs)
        return child
    }
}

private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

extension URLValue {
    fileprivate var isComposite: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }
}

private struct NodeEncoder: Encoder {
    let node: Node
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginMap()
        return KeyedEncodingContainer(KeyedContainer<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginList()
        return ListContainer(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(node: node, codingPath: codingPath)
    }
}

private struct SingleContainer: SingleValueEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil() { node.set(.null) }
    func encode(_ value: some Encodable) throws { try node.encode(value, path: codingPath) }
}

private struct ListContainer: UnkeyedEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    func encodeNil() { node.appendChild().set(.null) }
    func encode(_ value: some Encodable) throws {
        try node.appendChild().encode(value, path: codingPath + [IndexKey(intValue: count)])
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        NodeEncoder(node: node.appendChild(), codingPath: codingPath).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        NodeEncoder(node: node.appendChild(), codingPath: codingPath).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { NodeEncoder(node: node.appendChild(), codingPath: codingPath) }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { node.child(key.stringValue).set(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try node.child(key.stringValue).encode(value, path: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        NodeEncoder(node: node.child(key.stringValue), codingPath: codingPath + [key]).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        NodeEncoder(node: node.child(key.stringValue), codingPath: codingPath + [key]).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        NodeEncoder(node: node.child("super"), codingPath: codingPath)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        NodeEncoder(node: node.child(key.stringValue), codingPath: codingPath + [key])
    }

    // MARK: Optional values

    // The protocol's own versions leave a key without a value out; here it is kept, for ``QueryEncoder/NilStyle``.

    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try keep(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try keep(value, key) }

    private func keep(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
}

private struct IndexKey: CodingKey {
    let index: Int

    init(intValue: Int) { index = intValue }
    init?(stringValue: String) {
        guard let index = Int(stringValue) else { return nil }
        self.index = index
    }

    var intValue: Int? { index }
    var stringValue: String { String(index) }
}
