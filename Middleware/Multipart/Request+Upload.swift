public import Foundation
public import HTTPChainCore
public import HTTPTypes

extension Request {
    /// Makes a request that sends a file unchanged, without a stage.
    ///
    /// The file is read in chunks when the request is sent, and again for each attempt.
    ///
    /// - Parameters:
    ///   - method: The request method, usually PUT or POST.
    ///   - url: The target.
    ///   - headers: The header fields, which may include a Content-Type.
    ///   - file: A file URL.
    ///   - range: The bytes to send; the whole file by default.
    ///   - contentType: The content type; by default that of the file extension, or `application/octet-stream`.
    public static func upload(
        _ method: HTTPRequest.Method,
        _ url: String,
        headers: HTTPFields = [:],
        file: URL,
        range: Range<Int64>? = nil,
        contentType: String? = nil
    ) -> Request {
        Request(method, url, headers: headers, body: .file(file, range: range))
            .typed(contentType, fileName: file.lastPathComponent)
    }

    /// Makes a PUT request that sends a file unchanged.
    ///
    /// Its Content-Type is that of the file extension, unless `headers` has one.
    public static func put(_ url: String, headers: HTTPFields = [:], file: URL) -> Request {
        upload(.put, url, headers: headers, file: file)
    }

    /// Sets the content type.
    ///
    /// An explicit type replaces an existing field; a guessed one doesn't.
    private consuming func typed(_ contentType: String?, fileName: String) -> Request {
        if let contentType {
            head.headerFields[.contentType] = contentType
        } else if head.headerFields[.contentType] == nil {
            head.headerFields[.contentType] = FileContentType.guess(fileName: fileName)
        }
        return self
    }
}
