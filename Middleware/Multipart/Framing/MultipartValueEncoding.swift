public import Foundation

/// The encoding of typed values in a form.
public struct MultipartValueEncoding: Sendable {
    /// The Content-Type of the parts, unless they have their own.
    package let contentType: String
    /// Encodes a value.
    package let encode: @Sendable (any Encodable & Sendable) throws -> Data

    /// Makes an encoding.
    ///
    /// - Parameters:
    ///   - contentType: The Content-Type of the encoded parts.
    ///   - encode: Encodes a value.
    public init(contentType: String, encode: @escaping @Sendable (any Encodable & Sendable) throws -> Data) {
        self.contentType = contentType
        self.encode = encode
    }

    /// JSON as written by a `JSONEncoder` with its default settings.
    package static let json = MultipartValueEncoding(contentType: "application/json") { try JSONEncoder().encode($0) }
}
