import Foundation
import HTTPChainCore

private protocol StringKeyedValue {}
extension Dictionary: StringKeyedValue where Key == String {}

/// Decodes a parsed form, or a single value of plain text.
struct FormDecoder: Decoder {
    let node: FormNode
    let codingPath: [any CodingKey]
    let style: ParameterEncoder
    var keysAreData = false
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.hasMembers || node.texts.isEmpty else {
            throw mismatch([String: String].self, "a value with keys is expected, but there is a single text")
        }
        return KeyedDecodingContainer(FormObjectReader(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        FormArrayReader(decoder: self, elements: node.elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        self
    }

    /// Decodes the value.
    ///
    /// Some types have a special notation in forms.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value: Any? =
            switch type {
            case is Date.Type: style.dates.date(from: try text())
            case is Data.Type: Data(base64Encoded: try text())
            case is URL.Type: URL(string: try text())
            case is Decimal.Type:
                try Self.isNumber(text()) ? Decimal(string: text(), locale: .init(identifier: "en_US_POSIX")) : nil
            case is any StringKeyedValue.Type: try Value(from: ofData)
            default: try Value(from: self)
            }
        guard let value = value as? Value else { throw mismatch(type, "the text is not one") }
        return value
    }

    func text() throws -> String {
        guard let text = node.texts.first?.text else { throw mismatch(String.self, "there is no text") }
        return text
    }

    /// The decoder for a dictionary, which leaves keys unchanged.
    private var ofData: FormDecoder {
        FormDecoder(node: node, codingPath: codingPath, style: style, keysAreData: true)
    }

    /// Returns the member for a key, converted to the style's notation.
    func member(_ key: any CodingKey) -> FormNode? {
        node.member(keysAreData ? key.stringValue : style.keys.styled(key.stringValue))
    }

    /// A missing value and an empty text count as `nil`.
    var isNil: Bool { node.isBlank }

    func child(_ node: FormNode, _ key: any CodingKey) -> FormDecoder {
        FormDecoder(node: node, codingPath: codingPath + [key], style: style)
    }

    func mismatch(_ type: Any.Type, _ detail: String) -> DecodingError {
        .typeMismatch(type, .init(detail, at: codingPath))
    }
}

extension FormDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { isNil }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch try text().lowercased() {
        case "true", "1", "on", "yes": return true
        case "false", "0", "off", "no": return false
        default: throw mismatch(type, "the text is neither true nor false")
        }
    }

    func decode(_ type: String.Type) throws -> String { try text() }

    func decode<Number: Decodable & LosslessStringConvertible>(_ type: Number.Type) throws -> Number {
        let text = try text()
        let isValid = !(Number.self is any FloatingPoint.Type) || Self.isNumber(text)
        guard isValid, let number = Number(text) else { throw mismatch(type, "the text is not one") }
        return number
    }

    /// Whether the whole text is a finite number in decimal notation; `Double` also reads "nan" and "0x1p3", and
    /// `Decimal` ignores what follows a number.
    private static func isNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
            && Double(text)?.isFinite == true
    }
}

private struct FormObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FormDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { decoder.node.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { decoder.member(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNil }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(AnyCodingKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

    private func member(_ key: any CodingKey) throws -> FormDecoder {
        guard let node = decoder.member(key) else {
            throw DecodingError.keyNotFound(key, .init("the form has no such field", at: codingPath))
        }
        return decoder.child(node, key)
    }
}

private struct FormArrayReader: UnkeyedDecodingContainer {
    let decoder: FormDecoder
    let elements: [FormNode]
    var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try element().isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.decode(type) }
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    /// Reads the next element, and moves past it if that succeeds.
    private mutating func next<Result>(_ read: (FormDecoder) throws -> Result) throws -> Result {
        let result = try read(try element())
        currentIndex += 1
        return result
    }

    private func element() throws -> FormDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(Any.self, .init("there are no more elements", at: codingPath))
        }
        return decoder.child(elements[currentIndex], AnyCodingKey(index: currentIndex))
    }
}
