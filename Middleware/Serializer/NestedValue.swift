import HTTPChainCore

/// The value at a key path.
///
/// This is a type that any decoder can decode and that follows the path itself, so that the coding path of an error
/// begins at the top of the body.
struct NestedValue<Value: Decodable>: Decodable {
    /// The path.
    ///
    /// It is a task-local value, because the decoder calls the initializer.
    private static var path: BodyKeyPath { NestedValueScope.path }

    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Self.value(at: Self.path.keys[...], in: decoder)
    }

    private static func value(at path: ArraySlice<String>, in decoder: any Decoder) throws -> Value {
        guard let key = path.first else { return try Value(from: decoder) }
        let rest = path.dropFirst()
        if let empty = EmptyContent.value(of: Value.self), (try? decoder.singleValueContainer().decodeNil()) == true {
            return empty
        }
        let object: KeyedDecodingContainer<AnyCodingKey>
        do {
            object = try decoder.container(keyedBy: AnyCodingKey.self)
        } catch {
            guard let index = Int(key), let array = try? decoder.unkeyedContainer() else { throw error }
            return try value(at: index, then: rest, in: array)
        }
        guard let found = match(key, in: object) else {
            if let empty = EmptyContent.value(of: Value.self) { return empty }
            throw missing(key, after: object.codingPath, available: object.allKeys.map(\.stringValue).sorted())
        }
        guard rest.isEmpty else { return try value(at: rest, in: try object.superDecoder(forKey: found)) }
        if let empty = EmptyContent.value(of: Value.self), try object.decodeNil(forKey: found) { return empty }
        return try object.decode(Value.self, forKey: found)
    }

    private static func value(
        at index: Int,
        then rest: ArraySlice<String>,
        in array: any UnkeyedDecodingContainer
    ) throws -> Value {
        var array = array
        var passed = 0
        while passed < index, !array.isAtEnd {
            _ = try array.superDecoder()
            passed += 1
        }
        guard index >= 0, !array.isAtEnd else {
            if let empty = EmptyContent.value(of: Value.self) { return empty }
            throw missing("\(index)", after: array.codingPath, available: (0..<min(passed, 3)).map { "\($0)" })
        }
        guard rest.isEmpty else { return try value(at: rest, in: try array.superDecoder()) }
        return try array.decode(Value.self)
    }

    /// Returns the key unchanged or, if the decoder converts from snake case, in camel case.
    private static func match(_ key: String, in object: KeyedDecodingContainer<AnyCodingKey>) -> AnyCodingKey? {
        let asGiven = AnyCodingKey(key)
        if object.contains(asGiven) { return asGiven }
        guard key.utf8.contains(UInt8(ascii: "_")) else { return nil }
        let camel = camelCase(key)
        return object.contains(AnyCodingKey(camel)) ? AnyCodingKey(camel) : nil
    }

    /// Converts like Foundation's `convertFromSnakeCase`: leading and trailing underscores are kept.
    private static func camelCase(_ key: String) -> String {
        let scalars = key.unicodeScalars
        guard let first = scalars.firstIndex(where: { $0 != "_" }), let last = scalars.lastIndex(where: { $0 != "_" })
        else { return key }
        let words = String(scalars[first...last]).pieces(at: "_")
        guard words.count > 1 else { return key }
        return String(scalars[..<first]) + words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
            + String(scalars[last...].dropFirst())
    }

    private static func missing(_ key: String, after path: [any CodingKey], available: [String]) -> SerializerError {
        SerializerError(
            .keyPathMissing(
                key: key,
                path: Self.path,
                place: BodyKeyPath(codingPath: path),
                available: available
            )
        )
    }
}

enum NestedValueScope {
    @TaskLocal static var path = BodyKeyPath.whole
}

extension Substring {
    fileprivate var capitalized: String {
        String(unicodeScalars.prefix(1)).uppercased() + String(unicodeScalars.dropFirst())
    }
}

/// A value that represents another one while it is encoded.
package protocol StandInValue: Encodable {
    /// The caller's original value.
    var original: any Encodable { get }
    /// Whether nil is encoded as null.
    var keepsNulls: Bool { get }
}

/// A value nested in objects with one key each.
package struct RootedValue: StandInValue {
    let value: any Encodable
    let path: BodyKeyPath

    package init(value: any Encodable, path: BodyKeyPath) {
        self.value = value
        self.path = path
    }

    package var original: any Encodable { (value as? any StandInValue)?.original ?? value }

    package var keepsNulls: Bool { (value as? any StandInValue)?.keepsNulls ?? false }

    package func encode(to encoder: any Encoder) throws {
        guard let last = path.keys.last else { return try value.encode(to: encoder) }
        var object = encoder.container(keyedBy: AnyCodingKey.self)
        for key in path.keys.dropLast() {
            object = object.nestedContainer(keyedBy: AnyCodingKey.self, forKey: AnyCodingKey(key))
        }
        try object.encode(NullKeeping.unwrapped(value), forKey: AnyCodingKey(last))
    }
}
