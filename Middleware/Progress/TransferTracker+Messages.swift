import HTTPChainCore
import HTTPTypes

extension TransferTracker {
    /// Starts the first direction of a request, and counts the caller's content.
    ///
    /// - Parameter asRead: Whether bytes are counted as they are read, because the transport doesn't report sent bytes.
    func followContent(of request: inout Request, asRead: Bool) {
        if request.body.isEmpty { return begin(.download, expected: nil) }
        begin(.upload, expected: request.body.length)
        let counter = ContentCounter(
            self,
            length: request.body.length,
            asRead: asRead,
            outer: request.options[RequestContentObserverNote.self]
        )
        request.options[RequestContentObserverNote.self] = counter
        // A typed value has no bytes yet. An inner serializer reports them once it has encoded the value.
        if asRead, request.body.value == nil { request.body = counter.counting(request.body) }
        if asRead { return }
        let previous = request.options[UploadReportsNote.self]
        request.options[UploadReportsNote.self] = {
            let outer = previous?()
            let report = counter.beginSending()
            return { sent, expected in
                outer?(sent, expected)
                report(sent, expected)
            }
        }
    }

    /// Starts the first direction of a request, and counts its body as the transport reports it sent.
    func followSending(of request: inout Request) {
        let length = request.body.length
        if length == 0 { return begin(.download, expected: nil) }
        begin(.upload, expected: length)
        let previous = request.options[UploadProgressNote.self]
        request.options[UploadProgressNote.self] = { [self] sent, expected in
            previous?(sent, expected)
            advance(.upload, to: sent)
        }
    }

    /// Continues with the response's body when the head has arrived.
    ///
    /// - Parameter method: The method of the request, if the transport doesn't report it.
    func follow(_ response: inout Response, to method: HTTPRequest.Method) {
        begin(.download, expected: response.expectedLength(answering: response.request?.method ?? method))
        let body = response.body
        // An inner serializer has read the whole body to decode it.
        if response.options[DecodedValueFact.self] != nil, let bytes = body.bytes {
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
            // A body that can be read only once has ended when its reader has. A replayable body has ended when it is
            // released.
            let own = isReplayable ? interest : DownloadInterest(self)
            return CountingReader(
                inner: inner,
                advance: { own.tracker.advance(.download, to: $0) },
                end: { error in
                    if let error { own.tracker.end(with: error) } else { own.tracker.end(.finished) }
                }
            )
        }
    }
}

extension Response {
    /// The expected size of the body in bytes; `nil` if only the end of the body determines it.
    ///
    /// Without other information, this is `Content-Length`. Stages that decode content remove that field.
    func expectedLength(answering method: HTTPRequest.Method) -> Int64? {
        hasNoContent(answering: method) ? 0 : body.length ?? headers.declaredLength
    }
}
