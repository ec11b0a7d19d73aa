public import HTTPTypes

/// An HTTP response, as a transport and stages return it.
///
/// The head is complete; the body may still be arriving and is read by whoever wants it. Dropping a response whose
/// body was not read cancels the transfer.
public struct Response: Sendable {
    /// Status and header fields.
    public var head: HTTPResponse
    /// The content, read by pulling.
    public var body: HTTPBody
    /// The values that stages attached.
    public var options: ResponseOptions

    /// Makes a response of its parts.
    public init(head: HTTPResponse, body: HTTPBody = .empty, options: ResponseOptions = ResponseOptions()) {
        self.head = head
        self.body = body
        self.options = options
    }

    /// Makes a response from a status, header fields and a body.
    public init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: HTTPBody = .empty) {
        self.init(head: HTTPResponse(status: status, headerFields: headers), body: body)
    }
}
