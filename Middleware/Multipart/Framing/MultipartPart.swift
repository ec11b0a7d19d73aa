public import Foundation
public import HTTPChainCore

/// A part of a multipart body to be sent.
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
    /// A header field of a part.
    package struct Header: Sendable, Hashable {
        /// The field's name, a token.
        package var name: String
        /// The field's value, without line breaks or NUL.
        package var value: String

        /// Makes a field, which is validated when the form is framed.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The name of the form field, required in multipart/form-data; several parts may share it.
    package var name: String?
    /// The file name sent to the server; `nil` for a plain parameter.
    package var fileName: String?
    /// The Content-Type of the part; `nil` for a plain parameter.
    package var contentType: String?
    /// Additional header fields; they may also replace Content-Disposition and Content-Type.
    package var headers: [Header]
    /// The content: any body, including a typed value.
    package var body: HTTPBody

    /// Makes a part from its components, unchanged.
    ///
    /// - Parameters:
    ///   - name: The name of the form field, required in multipart/form-data; several parts may share it.
    ///   - fileName: The file name sent to the server; `nil` for a plain parameter.
    ///   - contentType: The Content-Type of the part; `nil` for a plain parameter.
    ///   - body: The content: any body, including a typed value.
    public init(name: String? = nil, fileName: String? = nil, contentType: String? = nil, body: HTTPBody) {
        self.name = name
        self.fileName = fileName
        self.contentType = contentType
        headers = []
        self.body = body
    }

    /// Makes a plain parameter: UTF-8 text without file name or Content-Type, as browsers send it.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - value: A text, a number or a Boolean.
    public static func text(_ name: String, _ value: some LosslessStringConvertible) -> MultipartPart {
        MultipartPart(name: name, body: HTTPBody(String(value)))
    }

    /// Makes a part from data in memory.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - data: The content.
    ///   - fileName: The file name sent to the server; none by default. Many servers treat a part without one as a
    ///     parameter.
    ///   - contentType: The content type; by default that of the file extension, or `application/octet-stream`.
    public static func data(
        _ name: String,
        _ data: Data,
        fileName: String? = nil,
        contentType: String? = nil
    ) -> MultipartPart {
        stream(name, HTTPBody(data), fileName: fileName, contentType: contentType)
    }

    /// Makes a part from a file, which is read when it is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - file: A file URL.
    ///   - range: The bytes to send; the whole file by default.
    ///   - fileName: The file name sent to the server; the file's own by default.
    ///   - contentType: The content type; by default that of the file extension, or `application/octet-stream`.
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

    /// Makes a part from any body.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - body: The content. If it can be read only once, the whole form can be sent only once.
    ///   - fileName: The file name sent to the server; none by default.
    ///   - contentType: The content type; by default that of the file extension, or `application/octet-stream`.
    public static func stream(
        _ name: String,
        _ body: HTTPBody,
        fileName: String? = nil,
        contentType: String? = nil
    ) -> MultipartPart {
        let type = contentType ?? FileContentType.guess(fileName: fileName ?? "")
        return MultipartPart(name: name, fileName: fileName, contentType: type, body: body)
    }

    /// Makes a part from a typed value.
    ///
    /// The value is encoded with the stage's encoding, otherwise with the chain's serializer, and otherwise as JSON.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - value: The value; it is encoded when the form is framed.
    ///   - fileName: The file name sent to the server; none by default.
    public static func value(
        _ name: String,
        _ value: some Encodable & Sendable,
        fileName: String? = nil
    ) -> MultipartPart {
        MultipartPart(name: name, fileName: fileName, body: .value(value))
    }

    /// Returns the part with another header field, such as Content-ID.
    public consuming func header(_ name: String, _ value: String) -> MultipartPart {
        headers.append(Header(name, value))
        return self
    }
}

extension MultipartPart: CustomStringConvertible, DescribedValue {
    /// The name and the kind of content, without the content itself, which may be a password.
    package var words: String { "\(name?.debugDescription ?? "unnamed part"): \(body)" }
}
