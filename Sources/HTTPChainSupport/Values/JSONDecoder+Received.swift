package import Foundation

extension JSONDecoder {
    /// Decodes a document from outside.
    ///
    /// Foundation (seen with Swift 6.3 on Linux) ends the process at a document whose last byte begins an array or an
    /// object that is one level too deep for it: it looks for the line and the column behind the end. No document ends so.
    package func decode<Value: Decodable>(_ type: Value.Type, received document: Data) throws -> Value {
        // The other bytes of a code unit in UTF-16 and UTF-32 are zero.
        if let last = document.last(where: { $0 != 0 }), last == UInt8(ascii: "[") || last == UInt8(ascii: "{") {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "the document ends within a value")
            )
        }
        return try decode(type, from: document)
    }
}
