package import Foundation

extension JSONDecoder {
    /// Decodes a document from outside.
    ///
    /// If the last byte of a document starts an array or an object that is one level too deep, Foundation (observed
    /// with Swift 6.3 on Linux) terminates the process, because it looks for the line and column beyond the end. Such a
    /// document is invalid, and this function rejects it first.
    package func decode<Value: Decodable>(_ type: Value.Type, received document: Data) throws -> Value {
        // Counts Foundation's work as one step for each byte.
        Steps.take(document.count)
        // In UTF-16 and UTF-32, the other bytes of a code unit are zero.
        if let last = document.last(where: { $0 != 0 }), last == UInt8(ascii: "[") || last == UInt8(ascii: "{") {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "the document ends within a value")
            )
        }
        return try decode(type, from: document)
    }
}
