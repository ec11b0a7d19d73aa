/// Follows the content of a request from what the caller gave to what is sent; progress is counted by it.
///
/// What a caller gives need not have bytes yet: a typed value and a form get them in a stage further in.
package protocol RequestContentObserver: Sendable {
    /// A stage made the content: a serializer that encoded a value, multipart that framed a form.
    ///
    /// - Returns: The content to send; the same, or one that counts what is read of it.
    func contentIsMade(_ content: HTTPBody) -> HTTPBody

    /// A stage is about to encode the content as it is read, so that the bytes sent are no longer those of the content.
    ///
    /// - Returns: The content to encode; the same, or one that counts what is read of it.
    func contentIsEncoded(_ content: HTTPBody) -> HTTPBody
}

/// The observer that is told of the content of a request.
package enum RequestContentObserverOption: RequestOption {
    /// There is none.
    package static var defaultValue: (any RequestContentObserver)? { nil }
}

extension Request {
    /// Sets the body to content that a stage has made of what the caller gave.
    ///
    /// A stage that turns a value or a form into bytes uses this instead of setting ``body``, so that stages outside
    /// learn how many bytes there are to send.
    public mutating func setContent(_ content: HTTPBody) {
        body = options[RequestContentObserverOption.self]?.contentIsMade(content) ?? content
    }

    /// Sets the body to an encoding of the content that is made while it is read.
    ///
    /// A stage that compresses or encrypts a stream uses this instead of setting ``body``, so that stages outside can
    /// count the bytes before they are encoded.
    ///
    /// - Parameter encode: Makes the encoded body of the content.
    public mutating func encodeContent(_ encode: (HTTPBody) -> HTTPBody) {
        body = encode(options[RequestContentObserverOption.self]?.contentIsEncoded(body) ?? body)
    }
}
