public import Foundation
import HTTPChainCore
public import HTTPTypes

/// The form of a batch of records on the wire, and the meaning of the receiver's answer to it.
public protocol LogWireFormat: Sendable {
    /// The media type of what ``encode(_:)`` makes.
    var contentType: String { get }

    /// The batch as the content of a request.
    func encode(_ batch: LogBatch) throws -> Data

    /// Returns the meaning of an answer; the default is ``LogReceipt/init(status:)``.
    ///
    /// - Parameters:
    ///   - head: The answer's status and fields.
    ///   - body: The beginning of its content, up to 64 KiB.
    func receipt(for head: HTTPResponse, body: Data) -> LogReceipt
}

extension LogWireFormat {
    /// Returns the receipt that the status alone gives.
    public func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        LogReceipt(status: head.status)
    }
}

/// The answer of a receiver to a batch.
public enum LogReceipt: Sendable, Hashable {
    /// It has the batch, but for so many records that it refused for good; why, if it said so.
    case accepted(rejected: Int = 0, message: String? = nil)
    /// It may take the batch later; it is kept until then.
    case later
    /// It takes no batch that is so large, but may take its halves.
    case tooLarge
    /// It will never take the batch; why.
    case refused(String)

    /// Makes the receipt that the status alone gives: 2xx is accepted, 429, 502, 503 and 504 may be sent again
    /// (OTLP/HTTP, "Failures"), and so may 401 and 403, for credentials can be put right while the log waits; 413 is
    /// too large, and anything else is refused.
    public init(status: HTTPResponse.Status) {
        switch status.code {
        case 200..<300: self = .accepted()
        case 401, 403, 429, 502, 503, 504: self = .later
        case 413: self = .tooLarge
        default: self = .refused("the receiver answered \(status.label)")
        }
    }
}
