import Foundation

/// How single values are written in forms and plain text.
struct FormValueStyle: Sendable, Hashable {
    var booleans: FormSerializer.Booleans = .words
    var dates: DateCoding = .iso8601

    func text(_ value: Bool) -> String {
        switch booleans {
        case .words: value ? "true" : "false"
        case .digits: value ? "1" : "0"
        }
    }
}

/// Collects what a value encodes.
final class FormWriter {
    enum Content {
        case nothing
        case text(String)
        case array([FormWriter])
        case object([(key: String, value: FormWriter)])
    }

    private(set) var content = Content.nothing
    private var positions: [String: Int] = [:]

    var isObject: Bool {
        if case .object = content { true } else { false }
    }

    func write(_ value: some Encodable, style: FormValueStyle, codingPath: [any CodingKey]) throws {
        switch value {
        case let date as Date: set(style.dates.text(of: date))
        case let data as Data: set(data.base64EncodedString())
        case let url as URL: set(url.absoluteString)
        case let decimal as Decimal: set("\(decimal)")
        default: try value.encode(to: FormEncoder(writer: self, style: style, codingPath: codingPath))
        }
    }

    func set(_ text: String) {
        content = .text(text)
    }

    func beginObject() {
        if isObject { return }
        content = .object([])
        positions = [:]
    }

    func beginArray() {
        if case .array = content { return }
        content = .array([])
    }

    /// The writer of a member, in place of an earlier one with the key.
    func member(_ key: String) -> FormWriter {
        beginObject()
        guard case .object(var members) = content else { return FormWriter() }
        let writer = FormWriter()
        content = .nothing
        if let index = positions[key] {
            members[index].value = writer
        } else {
            positions[key] = members.count
            members.append((key, writer))
        }
        content = .object(members)
        return writer
    }

    func element() -> FormWriter {
        beginArray()
        guard case .array(var elements) = content else { return FormWriter() }
        let writer = FormWriter()
        content = .nothing
        elements.append(writer)
        content = .array(elements)
        return writer
    }

    var elementCount: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    func pairs(nesting: FormSerializer.Nesting, arrays: FormSerializer.Arrays) -> [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        appendPairs(to: &result, name: "", nesting: nesting, arrays: arrays)
        return result
    }

    private func appendPairs(
        to pairs: inout [(name: String, value: String)],
        name: String,
        nesting: FormSerializer.Nesting,
        arrays: FormSerializer.Arrays
    ) {
        func nested(_ key: String) -> String {
            if name.isEmpty { return key }
            return nesting == .dots ? "\(name).\(key)" : "\(name)[\(key)]"
        }
        switch content {
        case .nothing: break
        case .text(let text): pairs.append((name, text))
        case .object(let members):
            for member in members {
                member.value.appendPairs(to: &pairs, name: nested(member.key), nesting: nesting, arrays: arrays)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let elementName: String
                if arrays == .indexed || !element.isWord {
                    elementName = nested("\(index)")
                } else {
                    elementName = arrays == .brackets ? "\(name)[]" : name
                }
                element.appendPairs(to: &pairs, name: elementName, nesting: nesting, arrays: arrays)
            }
        }
    }

    private var isWord: Bool {
        switch content {
        case .text, .nothing: true
        case .array, .object: false
        }
    }
}

struct FormEncoder: Encoder {
    let writer: FormWriter
    let style: FormValueStyle
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.beginObject()
        return KeyedEncodingContainer(FormObject(writer: writer, style: style, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.beginArray()
        return FormArray(writer: writer, style: style, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        FormSingle(writer: writer, style: style, codingPath: codingPath)
    }
}

private struct FormSingle: SingleValueEncodingContainer {
    let writer: FormWriter
    let style: FormValueStyle
    let codingPath: [any CodingKey]

    mutating func encodeNil() throws { writer.set("") }
    mutating func encode(_ value: Bool) throws { writer.set(style.text(value)) }
    mutating func encode(_ value: String) throws { writer.set(value) }
    mutating func encode(_ value: Double) throws { writer.set("\(value)") }
    mutating func encode(_ value: Float) throws { writer.set("\(value)") }
    mutating func encode(_ value: Int) throws { writer.set("\(value)") }
    mutating func encode(_ value: Int8) throws { writer.set("\(value)") }
    mutating func encode(_ value: Int16) throws { writer.set("\(value)") }
    mutating func encode(_ value: Int32) throws { writer.set("\(value)") }
    mutating func encode(_ value: Int64) throws { writer.set("\(value)") }
    mutating func encode(_ value: UInt) throws { writer.set("\(value)") }
    mutating func encode(_ value: UInt8) throws { writer.set("\(value)") }
    mutating func encode(_ value: UInt16) throws { writer.set("\(value)") }
    mutating func encode(_ value: UInt32) throws { writer.set("\(value)") }
    mutating func encode(_ value: UInt64) throws { writer.set("\(value)") }
    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try writer.write(value, style: style, codingPath: codingPath)
    }
}

private struct FormArray: UnkeyedEncodingContainer {
    let writer: FormWriter
    let style: FormValueStyle
    let codingPath: [any CodingKey]
    var count: Int { writer.elementCount }

    private var nextPath: [any CodingKey] { codingPath + [AnyCodingKey(index: count)] }

    mutating func encodeNil() throws { writer.element().set("") }
    mutating func encode<Value: Encodable>(_ value: Value) throws {
        let path = nextPath
        try writer.element().write(value, style: style, codingPath: path)
    }
    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let path = nextPath
        return FormEncoder(writer: writer.element(), style: style, codingPath: path).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let path = nextPath
        return FormEncoder(writer: writer.element(), style: style, codingPath: path).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder {
        let path = nextPath
        return FormEncoder(writer: writer.element(), style: style, codingPath: path)
    }
}

private struct FormObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: FormWriter
    let style: FormValueStyle
    let codingPath: [any CodingKey]

    mutating func encodeNil(forKey key: Key) throws { writer.member(key.stringValue).set("") }
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try writer.member(key.stringValue).write(value, style: style, codingPath: codingPath + [key])
    }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        member(key).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { member(AnyCodingKey("super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func member(_ key: any CodingKey) -> FormEncoder {
        FormEncoder(writer: writer.member(key.stringValue), style: style, codingPath: codingPath + [key])
    }
}
