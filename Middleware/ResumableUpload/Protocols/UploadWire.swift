import Foundation
import HTTPChainCore
import HTTPTypes

/// The requests of an upload as a protocol writes them, and its reading of their responses.
protocol UploadWire: Sendable {
    /// Whether the upload is complete as soon as the server has all bytes.
    var completesByOffset: Bool { get }
    /// The statuses of an answer to a request for the offset that say that there is no such upload.
    var lostStatuses: Set<Int> { get }

    /// The request that creates the upload; its content, and what describes that, was taken out.
    ///
    /// - Parameters:
    ///   - request: The request of the caller.
    ///   - length: The number of bytes of the upload.
    ///   - hasContent: Whether its first bytes are sent along.
    func creation(of request: Request, length: Int64, hasContent: Bool) throws -> Request

    /// Adds the fields of the protocol to a request for an upload that was created.
    func complete(_ request: inout Request, for action: UploadAction)

    /// Reads the head of a response.
    ///
    /// - Parameter now: The local date.
    func answer(_ head: HTTPResponse, now: Date) -> UploadAnswer
}

extension UploadWire {
    /// A number of bytes in decimal digits.
    func count(_ field: String?) -> Int64? { field.flatMap { ContentLength.parse($0) } }

    /// What both protocols have in common.
    func plainAnswer(_ head: HTTPResponse, now: Date) -> UploadAnswer {
        var answer = UploadAnswer(status: head.status.code)
        answer.retryAfter = RetryAfter.wait(in: head.headerFields, now: now)
        return answer
    }
}
