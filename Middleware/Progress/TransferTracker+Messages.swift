import HTTPChainCore
import HTTPTypes

extension TransferTracker {
    /// Begins with what a request is going to transfer first, and counts the caller's content.
    ///
    /// - Parameter asRead: Whether bytes count when they are read, because the transport does not tell what it sends.
    func followContent(of request: inout Request, asRead: Bool) {
        if request.body.isEmpty { return begin(.download, expected: nil) }
        begin(.upload, expected: request.body.length)
        let counter = ContentCounter(
            self,
            length: request.body.length,
            asRead: asRead,
            outer: request.options[RequestContentObserverOption.self]
        )
        request.options[RequestContentObserverOption.self] = counter
        // A typed value has no bytes yet; a serializer further in tells when it has.
        if asRead, request.body.value == nil { request.body = counter.counting(request.body) }
        if asRead { return }
        let previous = request.options[UploadReports.self]
        request.options[UploadReports.self] = {
            let outer = previous?()
            let report = counter.beginSending()
            return { sent, expected in
                outer?(sent, expected)
                report(sent, expected)
            }
        }
    }

    /// Begins with what a request is going to transfer first, and counts its body as the transport says it is sent.
    func followSending(of request: inout Request) {
        let length = request.body.length
        if length == 0 { return begin(.download, expected: nil) }
        begin(.upload, expected: length)
        let previous = request.options[UploadProgress.self]
        request.options[UploadProgress.self] = { [self] sent, expected in
            previous?(sent, expected)
            advance(.upload, to: sent)
        }
    }

    /// Goes on with the response's body, once the head is there.
    ///
    /// - Parameter method: The method of the request, where the transport does not say.
    func follow(_ response: inout Response, to method: HTTPRequest.Method) {
        begin(.download, expected: response.expectedLength(answering: response.request?.method ?? method))
        let body = response.body
        // A serializer further in has read all of the body to decode it.
        if response.options[DecodedValue.self] != nil, let bytes = body.bytes {
            advance(.download, to: Int64(bytes.count))
            return end(.finished)
        }
        if body.isEmpty { return end(.finished) }
        let interest = DownloadInterest(self)
        let isReplayable = body.isReplayable
        let signals = signals
        let source =
            signals.isEmpty ? body : body.transformed(length: body.length) { CancellableReader($0, signals) }
        response.body = source.transformed(length: body.length) { [self] inner in
            // What can be read once is lost with its reader; what can be read again, with its body.
            let own = isReplayable ? interest : DownloadInterest(self)
            return DownloadReader(inner, tracker: self, interest: own)
        }
    }
}

extension Response {
    /// The number of bytes that the body is going to have; `nil` when only its end will tell.
    ///
    /// `Content-Length` is taken at its word where nothing else is known: whoever decodes the content removes it.
    func expectedLength(answering method: HTTPRequest.Method) -> Int64? {
        if hasNoContent(answering: method) { return 0 }
        if let length = body.length { return length }
        // RFC 9112 §6.3: a transfer coding decides where the body ends, whatever Content-Length says.
        guard !headers.contains(.transferEncoding), let text = headers[.contentLength] else { return nil }
        return ContentLength.parse(text)
    }
}
