package import Foundation
import HTTPChainSupport

/// Property lists, using Foundation's coders: decodes XML, binary and OpenStep, and encodes XML or binary.
package struct PropertyListSerializer: Serializer, FormattedSerializer {
    /// A format of property lists.
    package enum Format: Sendable, Hashable {
        /// Text that any XML parser can read.
        case xml
        /// Smaller and faster.
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

    /// Encodes a value as a property list; its top level must be an array or a dictionary.
    package func data(of value: any Encodable, contentType: String) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = style == .xml ? .xml : .binary
        return try encoder.encode(NullKeeping.unwrapped(value))
    }

    /// Decodes a value from a property list in any format.
    ///
    /// - Throws: A `DecodingError`, including for an XML or binary list that is nested deeper than 128 levels, and for
    ///   a binary one that contains itself, or refers to its texts so often that they are many times longer than it; for
    ///   an XML list whose document type has its own declarations, or whose XML declaration is longer than 4,096 bytes.
    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        if BinaryPropertyList.isBinary(data) {
            try BinaryPropertyList.check(data)
        } else {
            try XMLNesting.check(data)
        }
        return try PropertyListDecoder().decode(type, from: data)
    }
}

extension Serializer where Self == BuiltInSerializer {
    /// Property lists, encoded as XML, which any XML parser can read; binary and OpenStep are decoded, too.
    public static var propertyList: BuiltInSerializer { BuiltInSerializer(PropertyListSerializer()) }

    /// Property lists, encoded in the binary format, which is smaller and faster.
    public static var binaryPropertyList: BuiltInSerializer { BuiltInSerializer(PropertyListSerializer(.binary)) }
}
