public import Foundation
public import HTTPChainCore

/// One part of a multipart body that is to be sent.
///
/// ```swift
/// let form: MultipartForm = [
///     .text("title", "Holiday"),
///     .file("photo", photoURL),
///     .data("thumbnail", png, fileName: "small.png"),
///     .value("place", Place(latitude: 47.1, longitude: 8.2)),
///     .stream("log", .replayable { try LogReader() }, fileName: "today.log"),
/// ]
/// ```
public struct MultipartPart: Sendable {
    /// One header field of a part.
    public struct Header: Sendable, Hashable {
        /// The field's name, a token.
        public var name: String
        /// The field's value, without line breaks and NUL.
        public var value: String

        /// Makes a field; it is checked when the form is framed.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The name of the form field; multipart/form-data requires one, several parts may share it.
    public var name: String?
    /// The file name that the server is told; none for a plain parameter.
    public var fileName: String?
    /// The Content-Type of the part; none for a plain parameter.
    public var contentType: String?
    /// Header fields beside Content-Disposition and Content-Type, or in their place.
    public var headers: [Header]
    /// The content: any body, a typed value included.
    public var body: HTTPBody

    /// Makes a part of its pieces, just as they are given.
    public init(
        name: String? = nil,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: [Header] = [],
        body: HTTPBody
    ) {
        self.name = name
        self.fileName = fileName
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// A plain parameter: text as UTF-8, with neither file name nor Content-Type, as browsers send it.
    public static func text(_ name: String, _ value: String) -> MultipartPart {
        MultipartPart(name: name, body: HTTPBody(value))
    }

    /// A number as a plain parameter, in decimal.
    public static func text(_ name: String, _ value: some BinaryInteger) -> MultipartPart {
        text(name, String(value))
    }

    /// A number as a plain parameter, with the digits that tell it from every other.
    public static func text(_ name: String, _ value: some BinaryFloatingPoint & CustomStringConvertible)
        -> MultipartPart
    {
        text(name, value.description)
    }

    /// A truth value as a plain parameter: `true` or `false`.
    public static func text(_ name: String, _ value: Bool) -> MultipartPart {
        text(name, value ? "true" : "false")
    }

    /// Data in memory.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - data: The content.
    ///   - fileName: The file name that the server is told; none by default, and many a server then takes the part for
    ///     a parameter.
    ///   - contentType: Its type; by default that of the file name's extension, or `application/octet-stream`.
    public static func data(
        _ name: String,
        _ data: Data,
        fileName: String? = nil,
        contentType: String? = nil
    ) -> MultipartPart {
        stream(name, HTTPBody(data), fileName: fileName, contentType: contentType)
    }

    /// A file, read when it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - file: A file URL.
    ///   - range: The bytes to send; all of the file by default.
    ///   - fileName: The file name that the server is told; that of the file by default.
    ///   - contentType: Its type; by default that of the file name's extension, or `application/octet-stream`.
    public static func file(
        _ name: String,
        _ file: URL,
        range: Range<Int64>? = nil,
        fileName: String? = nil,
        contentType: String? = nil
    ) -> MultipartPart {
        let fileName = fileName ?? file.lastPathComponent
        return stream(name, .file(file, range: range), fileName: fileName, contentType: contentType)
    }

    /// A body of any kind.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - body: The content; one that can be read once makes the whole form one that can be sent once.
    ///   - fileName: The file name that the server is told; none by default.
    ///   - contentType: Its type; by default that of the file name's extension, or `application/octet-stream`.
    public static func stream(
        _ name: String,
        _ body: HTTPBody,
        fileName: String? = nil,
        contentType: String? = nil
    ) -> MultipartPart {
        let type = contentType ?? FileContentType.guess(fileName: fileName ?? "")
        return MultipartPart(name: name, fileName: fileName, contentType: type, body: body)
    }

    /// A typed value, written by the chain's serializer: as JSON where there is none, and the stage does not say otherwise.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - value: The value; it is encoded when the form is framed.
    ///   - fileName: The file name that the server is told; none by default.
    public static func value(
        _ name: String,
        _ value: some Encodable & Sendable,
        fileName: String? = nil
    ) -> MultipartPart {
        MultipartPart(name: name, fileName: fileName, body: .value(value))
    }

    /// A part without a name, for multipart/mixed and multipart/related.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - contentType: Its type; `application/octet-stream` by default.
    ///   - headers: Further fields, such as Content-ID.
    public static func unnamed(
        _ body: HTTPBody,
        contentType: String = FileContentType.octetStream,
        headers: [Header] = []
    ) -> MultipartPart {
        MultipartPart(contentType: contentType, headers: headers, body: body)
    }

    /// The same part with one more header field.
    public consuming func header(_ name: String, _ value: String) -> MultipartPart {
        headers.append(Header(name, value))
        return self
    }
}

extension MultipartPart: CustomStringConvertible, CustomDebugStringConvertible {
    /// The name and the kind of content, never the content: what a form holds may be a password.
    public var description: String { "\(name?.debugDescription ?? "unnamed part"): \(body)" }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
