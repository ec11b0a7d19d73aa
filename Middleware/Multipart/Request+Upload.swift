public import Foundation
public import HTTPChainCore
public import HTTPTypes

extension Request {
    /// A request that sends a file as it is; the chain needs no stage for it.
    ///
    /// The file is read when the request is sent, in chunks, and again for each attempt.
    ///
    /// - Parameters:
    ///   - method: The request method, mostly PUT or POST.
    ///   - url: The target.
    ///   - headers: Header fields; a Content-Type among them stays.
    ///   - file: A file URL.
    ///   - range: The bytes to send; all of the file by default.
    ///   - contentType: The file's type; by default that of its extension, or `application/octet-stream`.
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

    /// A request that sends data as it is; the chain needs no stage for it.
    ///
    /// - Parameters:
    ///   - method: The request method, mostly PUT or POST.
    ///   - url: The target.
    ///   - headers: Header fields; a Content-Type among them stays.
    ///   - data: The content.
    ///   - fileName: A file name whose extension tells the type; it is not sent.
    ///   - contentType: The type; by default that of the file name, or `application/octet-stream`.
    public static func upload(
        _ method: HTTPRequest.Method,
        _ url: String,
        headers: HTTPFields = [:],
        data: Data,
        fileName: String? = nil,
        contentType: String? = nil
    ) -> Request {
        Request(method, url, headers: headers, body: HTTPBody(data)).typed(contentType, fileName: fileName ?? "")
    }

    /// A PUT request that sends a file as it is, with the Content-Type of its extension unless one is given.
    public static func put(_ url: String, headers: HTTPFields = [:], file: URL) -> Request {
        upload(.put, url, headers: headers, file: file)
    }

    /// A POST request that sends a file as it is, with the Content-Type of its extension unless one is given.
    public static func post(_ url: String, headers: HTTPFields = [:], file: URL) -> Request {
        upload(.post, url, headers: headers, file: file)
    }

    /// A given type replaces one among the header fields; a guessed one does not.
    private consuming func typed(_ contentType: String?, fileName: String) -> Request {
        if let contentType {
            head.headerFields[.contentType] = contentType
        } else if head.headerFields[.contentType] == nil {
            head.headerFields[.contentType] = FileContentType.guess(fileName: fileName)
        }
        return self
    }
}
