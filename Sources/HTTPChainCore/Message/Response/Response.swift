public import HTTPTypes

/// An HTTP response, as returned by transports and stages.
///
/// The head is complete; the body may still be arriving. Dropping a response with an unread body cancels the transfer.
public struct Response: Sendable {
    /// The status and header fields.
    public var head: HTTPResponse
    /// The content, which is transferred as it is read.
    public var body: HTTPBody
    /// The values that stages attached.
    public var options: ResponseOptions

    /// Makes a response from its parts.
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
