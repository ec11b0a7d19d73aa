package import Foundation
import HTTPChainSupport

/// Property lists, using Foundation's coders: decodes XML, binary and OpenStep, and encodes XML or binary.
package struct PropertyListSerializer: Serializer, FormattedSerializer {
    /// A format of property lists.
    package enum Format: Sendable, Hashable {
        /// Text that any XML parser can read.
        case xml
        /// The binary format, which is smaller and faster.
        case binary
    }

    private let style: Format

    package var format: SerializerFormat {
        SerializerFormat(
            "property list",
            "application/x-plist",
            accepting: ["application/x-plist", "application/x-apple-plist", "application/plist", "text/x-plist"]
        )
    }

    package init(_ style: Format = .xml) {
        self.style = style
    }

    /// Encodes a value as a property list.
    ///
    /// Its top level must be an array or a dictionary.
    package func data(of value: any Encodable, contentType: String) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = style == .xml ? .xml : .binary
        return try encoder.encode(NullKeeping.unwrapped(value))
    }

    /// Decodes a value from a property list in any format.
    ///
    /// - Throws: A `DecodingError`, including for a list that is nested deeper than 128 levels (64 on Apple platforms,
    ///   whose threads have small stacks); for a binary list that contains itself, or that refers to its texts so often
    ///   that they are many times larger than the list; for an XML list whose document type has internal declarations,
    ///   or whose XML declaration is longer than 4,096 bytes.
    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        if BinaryPropertyList.isBinary(data) {
            try BinaryPropertyList.check(data)
        } else if try !XMLNesting.check(data) {
            try Self.checkOpenStep(data)
        }
        return try PropertyListDecoder().decode(type, from: data)
    }

    /// Checks a list in OpenStep format.
    ///
    /// Unlike the decoder, its parser has a depth limit that fits any stack.
    private static func checkOpenStep(_ data: Data) throws(DecodingError) {
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) else { return }
        var pending: [(value: Any, depth: Int)] = [(list, 1)]
        while let (value, depth) = pending.popLast() {
            let contained = (value as? [Any]) ?? (value as? [AnyHashable: Any]).map { Array($0.values) } ?? []
            guard contained.isEmpty || depth <= DocumentDepth.limit else {
                throw .dataCorrupted(.init("containers are nested deeper than \(DocumentDepth.limit) levels"))
            }
            pending += contained.map { ($0, depth + 1) }
        }
    }
}

extension Serializer where Self == BuiltInSerializer {
    /// Property lists, encoded as XML, which any XML parser can read.
    ///
    /// Binary and OpenStep lists can be decoded too.
    public static var propertyList: BuiltInSerializer { BuiltInSerializer(PropertyListSerializer()) }

    /// Property lists, encoded in the binary format, which is smaller and faster.
    public static var binaryPropertyList: BuiltInSerializer { BuiltInSerializer(PropertyListSerializer(.binary)) }
}
