import Foundation
import HTTPChainSupport

/// A value that is being encoded; it is a class, because containers are returned before they are filled.
final class ParameterNode {
    private enum Content {
        case none
        case single(ParameterValue)
        case list([ParameterNode])
        case members([(name: String, node: ParameterNode)])
    }

    private var content = Content.none
    private var positions: [ExactText: Int] = [:]
    private var isDictionary = false

    var value: ParameterValue {
        switch content {
        case .none: .null
        case .single(let value): value
        case .list(let nodes): .list(nodes.map(\.value))
        case .members(let members):
            .members(
                // A dictionary has no order, but its text must be the same each time.
                (isDictionary ? members.sorted { $0.name < $1.name } : members).map { ($0.name, $0.node.value) },
                areData: isDictionary
            )
        }
    }

    func encode(_ value: some Encodable, path: [any CodingKey]) throws {
        switch value {
        case let value as String: set(.text(value))
        case let value as Bool: set(.truth(value))
        case let value as Double: set(.number(value))
        // Uses as many digits as distinguish the value from all other numbers of its type.
        case let value as Float: set(.number(Double("\(value)") ?? Double(value)))
        case let value as any BinaryInteger: set(.text("\(value)"))
        case let value as Date: set(.date(value))
        case let value as Data: set(.text(value.base64EncodedString()))
        case let value as URL: set(.text(value.absoluteString))
        case let value as Decimal: set(value.isNaN ? .number(.nan) : .text("\(value)"))
        case let value as any ExplicitNull where value.isExplicitNull: set(.empty)
        default:
            try value.encode(to: ParameterNodeEncoder(node: self, codingPath: path))
            isDictionary = value is any StringKeyed
        }
    }

    func set(_ value: ParameterValue) { content = .single(value) }

    var count: Int {
        if case .list(let nodes) = content { nodes.count } else { 0 }
    }

    func beginList() {
        if case .list = content { return }
        content = .list([])
    }

    func beginMembers() {
        if case .members = content { return }
        content = .members([])
        positions = [:]
    }

    func appendElement() -> ParameterNode {
        beginList()
        let element = ParameterNode()
        guard case .list(var nodes) = content else { return element }
        // Released before appending, so that the array isn't copied.
        content = .none
        nodes.append(element)
        content = .list(nodes)
        return element
    }

    func member(_ name: String) -> ParameterNode {
        beginMembers()
        guard case .members(var members) = content else { return ParameterNode() }
        if let position = positions[ExactText(name)] { return members[position].node }
        let member = ParameterNode()
        positions[ExactText(name)] = members.count
        content = .none
        members.append((name, member))
        content = .members(members)
        return member
    }
}

private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

private struct ParameterNodeEncoder: Encoder {
    let node: ParameterNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginMembers()
        return KeyedEncodingContainer(MembersContainer<Key>(node: node, codingPath: codingPath))
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
    let node: ParameterNode
    let codingPath: [any CodingKey]

    func encodeNil() { node.set(.null) }
    func encode(_ value: some Encodable) throws { try node.encode(value, path: codingPath) }
}

private struct ListContainer: UnkeyedEncodingContainer {
    let node: ParameterNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    func encodeNil() { node.appendElement().set(.null) }

    func encode(_ value: some Encodable) throws {
        let path = nextPath
        try node.appendElement().encode(value, path: path)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        nextEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nextEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { nextEncoder() }

    private var nextPath: [any CodingKey] { codingPath + [ParameterKey(intValue: count)] }

    private func nextEncoder() -> ParameterNodeEncoder {
        let path = nextPath
        return ParameterNodeEncoder(node: node.appendElement(), codingPath: path)
    }
}

private struct MembersContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: ParameterNode
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try node.member(key.stringValue).encode(value, path: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(of: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(of: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder(of: ParameterKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(of: key) }

    private func encoder(of key: any CodingKey) -> ParameterNodeEncoder {
        ParameterNodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }

    // MARK: Optional values

    // The protocol's default implementations omit a key without a value. Here it is kept, for
    // ``ParameterEncoder/Nils``.

    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try keep(value, key) }
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

/// A key with a name or an index.
struct ParameterKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
