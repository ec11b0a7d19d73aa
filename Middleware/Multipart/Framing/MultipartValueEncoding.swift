public import Foundation

/// The encoding of the typed values in a form.
public struct MultipartValueEncoding: Sendable {
    /// The Content-Type of the parts, unless they bring their own.
    public let contentType: String
    /// Turns a value into bytes.
    public let encode: @Sendable (any Encodable & Sendable) throws -> Data

    /// Makes an encoding.
    ///
    /// - Parameters:
    ///   - contentType: The Content-Type of the parts it makes.
    ///   - encode: Turns a value into bytes.
    public init(contentType: String, encode: @escaping @Sendable (any Encodable & Sendable) throws -> Data) {
        self.contentType = contentType
        self.encode = encode
    }

    /// JSON as `JSONEncoder` writes it by default.
    public static let json = json { JSONEncoder() }

    /// JSON with the settings of an encoder that is made for each value.
    public static func json(_ makeEncoder: @escaping @Sendable () -> JSONEncoder) -> MultipartValueEncoding {
        MultipartValueEncoding(contentType: "application/json") { try makeEncoder().encode($0) }
    }
}
