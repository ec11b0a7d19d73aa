/// Observes the content of a request, from the caller's body to the bytes sent, for counting progress.
///
/// At first, the caller's content may not have bytes, because an inner stage encodes a typed value or a form.
package protocol RequestContentObserver: Sendable {
    /// Called when a stage has made the content: a serializer encoded a value, or multipart framed a form.
    ///
    /// - Returns: The content to send: the same, or content that counts the bytes read from it.
    func contentIsMade(_ content: HTTPBody) -> HTTPBody

    /// Called when a stage is about to encode the content as it is read, so that the bytes sent differ from those of
    /// the content.
    ///
    /// - Returns: The content to encode: the same, or content that counts the bytes read from it.
    func contentIsEncoded(_ content: HTTPBody) -> HTTPBody
}

/// The observer of the content of a request.
package enum RequestContentObserverNote: RequestNote {
    /// No observer.
    package static var defaultValue: (any RequestContentObserver)? { nil }
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// Sets the body to content that a stage has made from the caller's content.
    ///
    /// A stage that turns a value or a form into bytes uses this instead of setting ``body``, so that outer stages know
    /// the number of bytes to send.
    package mutating func setContent(_ content: HTTPBody) {
        body = options[RequestContentObserverNote.self]?.contentIsMade(content) ?? content
    }

    /// Sets the body to an encoding of the content, produced as it is read.
    ///
    /// A stage that compresses or encrypts a stream uses this instead of setting ``body``, so that outer stages can
    /// count the bytes before they are encoded.
    ///
    /// - Parameter encode: A closure that returns the encoded body.
    package mutating func encodeContent(_ encode: (HTTPBody) -> HTTPBody) {
        body = encode(options[RequestContentObserverNote.self]?.contentIsEncoded(body) ?? body)
    }
}
