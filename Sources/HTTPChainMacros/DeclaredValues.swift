#if Macros
public import Foundation
public import HTTPChain
public import HTTPTypes

extension HTTPFields {
    /// Sets a header field of a declared call; nil sets nothing, and so does a name that is none.
    public mutating func declare(_ name: String, _ value: (some CustomStringConvertible)?) {
        guard let value, let name = HTTPField.Name(name) else { return }
        self[name] = value.description
    }
}

extension HTTPBody {
    /// The content of a declared call: bytes.
    public static func declared(_ bytes: Data) -> HTTPBody { HTTPBody(bytes) }
    /// The content of a declared call: text in UTF-8.
    public static func declared(_ text: String) -> HTTPBody { HTTPBody(text) }
    /// The content of a declared call: that of a file.
    public static func declared(_ file: URL) -> HTTPBody { .file(file) }
    /// The content of a declared call.
    public static func declared(_ body: HTTPBody) -> HTTPBody { body }
}

/// A value that may be a part of a multipart form.
public protocol PartConvertible: Sendable {
    /// The parts with a name; none for nil, and several for an array.
    func parts(named name: String) -> [MultipartPart]
}

extension PartConvertible where Self: CustomStringConvertible {
    /// The value as text.
    public func parts(named name: String) -> [MultipartPart] { [.text(name, description)] }
}

extension String: PartConvertible {}
extension Bool: PartConvertible {}
extension Int: PartConvertible {}
extension Int64: PartConvertible {}
extension Double: PartConvertible {}
extension UUID: PartConvertible {}

extension Data: PartConvertible {
    /// The bytes, as a file of no name.
    public func parts(named name: String) -> [MultipartPart] { [.data(name, self)] }
}

extension URL: PartConvertible {
    /// The file.
    public func parts(named name: String) -> [MultipartPart] { [.file(name, self)] }
}

extension HTTPBody: PartConvertible {
    /// The body as it comes.
    public func parts(named name: String) -> [MultipartPart] { [.stream(name, self)] }
}

extension MultipartPart: PartConvertible {
    /// The part, with the name if it has none.
    public func parts(named name: String) -> [MultipartPart] {
        var part = self
        part.name = part.name ?? name
        return [part]
    }
}

extension Array: PartConvertible where Element: PartConvertible {
    /// A part for each element.
    public func parts(named name: String) -> [MultipartPart] { flatMap { $0.parts(named: name) } }
}

extension Optional: PartConvertible where Wrapped: PartConvertible {
    /// The value's parts; none for nil.
    public func parts(named name: String) -> [MultipartPart] { map { $0.parts(named: name) } ?? [] }
}
#endif
