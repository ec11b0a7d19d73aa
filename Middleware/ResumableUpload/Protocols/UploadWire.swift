import Foundation
import HTTPChainCore
import HTTPTypes

/// Writes the requests of a protocol, and interprets its responses.
protocol UploadWire: Sendable {
    /// Whether the upload is complete as soon as the server has all bytes.
    var completesByOffset: Bool { get }
    /// The statuses of the response to an offset request if the upload doesn't exist.
    var lostStatuses: Set<Int> { get }

    /// Makes the request that creates the upload, without its content and the fields that describe it.
    ///
    /// - Parameters:
    ///   - request: The caller's request.
    ///   - length: The size of the upload, in bytes.
    ///   - hasContent: Whether the first bytes of the upload are included.
    func creation(of request: Request, length: Int64, hasContent: Bool) throws -> Request

    /// Adds the protocol's fields to a request for an existing upload.
    func complete(_ request: inout Request, for action: UploadAction)

    /// Reads the head of a response.
    ///
    /// - Parameter now: The local date.
    func answer(_ head: HTTPResponse, now: Date) -> UploadAnswer
}

extension UploadWire {
    /// Reads a number of bytes in decimal digits.
    func count(_ field: String?) -> Int64? { field.flatMap { ContentLength.parse($0) } }

    /// Returns the status and the requested wait, which both protocols use in the same way.
    func plainAnswer(_ head: HTTPResponse, now: Date) -> UploadAnswer {
        var answer = UploadAnswer(status: head.status.code)
        answer.retryAfter = RetryAfter.wait(in: head.headerFields, now: now)
        return answer
    }
}
