#if Macros
public import Foundation
public import HTTPChain
public import HTTPTypes

extension HTTPFields {
    /// Sets a header field of a declared call; does nothing if the value is nil or the name is invalid.
    public mutating func declare(_ name: String, _ value: (some CustomStringConvertible)?) {
        guard let value, let name = HTTPField.Name(name) else { return }
        self[name] = value.description
    }
}

extension HTTPBody {
    /// Makes the content of a declared call from bytes.
    public static func declared(_ bytes: Data) -> HTTPBody { HTTPBody(bytes) }
    /// Makes the content of a declared call from text, in UTF-8.
    public static func declared(_ text: String) -> HTTPBody { HTTPBody(text) }
    /// Makes the content of a declared call from a file.
    public static func declared(_ file: URL) -> HTTPBody { .file(file) }
    /// Returns the content of a declared call.
    public static func declared(_ body: HTTPBody) -> HTTPBody { body }
}

extension Request {
    /// Reserves a value of a declared call for the URL builder; the builder also uses it for variables of the URL.
    public consuming func declare(reserved name: String, _ value: some URLValueConvertible & Sendable) -> Request {
        url(reserved: URLParameters([(name, value.urlValue)]))
    }

    /// Reserves a value of a declared call for a custom URL builder; does nothing if the value is nil.
    public consuming func declare(reserved name: String, _ value: (some Sendable)?) -> Request {
        guard let value else { return self }
        return url(reserved: name, value)
    }
}

/// A value that can be part of a multipart form.
public protocol PartConvertible: Sendable {
    /// Returns the parts with a name; none for nil, and several for an array.
    func parts(named name: String) -> [MultipartPart]
}

extension PartConvertible where Self: CustomStringConvertible {
    /// A text part with the value's description.
    public func parts(named name: String) -> [MultipartPart] { [.text(name, description)] }
}

extension String: PartConvertible {}
extension Bool: PartConvertible {}
extension Int: PartConvertible {}
extension Int64: PartConvertible {}
extension Double: PartConvertible {}
extension UUID: PartConvertible {}

extension Data: PartConvertible {
    /// The bytes, as a part without a file name.
    public func parts(named name: String) -> [MultipartPart] { [.data(name, self)] }
}

extension URL: PartConvertible {
    /// A part with the file.
    public func parts(named name: String) -> [MultipartPart] { [.file(name, self)] }
}

extension HTTPBody: PartConvertible {
    /// A part with the body as a stream.
    public func parts(named name: String) -> [MultipartPart] { [.stream(name, self)] }
}

extension MultipartPart: PartConvertible {
    /// The part itself; if it has no name, it gets this one.
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
