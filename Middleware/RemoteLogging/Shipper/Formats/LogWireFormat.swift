public import Foundation
import HTTPChainCore
public import HTTPTypes

/// The wire format of a batch of records, and the meaning of the receiver's response to it.
public protocol LogWireFormat: Sendable {
    /// The media type of the content that ``encode(_:)`` returns.
    var contentType: String { get }

    /// Returns the batch as the content of a request.
    func encode(_ batch: LogBatch) throws -> Data

    /// Returns the meaning of a response.
    ///
    /// The default is ``LogReceipt/init(status:)``.
    ///
    /// - Parameters:
    ///   - head: The response's status and fields.
    ///   - body: The beginning of the response's content, up to 64 KiB.
    func receipt(for head: HTTPResponse, body: Data) -> LogReceipt
}

extension LogWireFormat {
    /// Returns the receipt based on the status alone.
    public func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        LogReceipt(status: head.status)
    }
}

/// A receiver's response to a batch.
public enum LogReceipt: Sendable, Hashable {
    /// The receiver accepted the batch, except for the given number of records, which it rejected permanently.
    ///
    /// Contains its message, if any.
    case accepted(rejected: Int = 0, message: String? = nil)
    /// The receiver may accept the batch later.
    ///
    /// The batch is kept until then.
    case later
    /// The receiver doesn't accept a batch of this size, but may accept its halves.
    case tooLarge
    /// The receiver will never accept the batch, for the given reason.
    case refused(String)

    /// Makes the receipt based on the status alone.
    ///
    /// 2xx means accepted. 429, 502, 503 and 504 are retryable (OTLP/HTTP, "Failures"), as are 401 and 403, because
    /// credentials can be corrected while the records wait. 413 means too large. Anything else means refused.
    public init(status: HTTPResponse.Status) {
        switch status.code {
        case 200..<300: self = .accepted()
        case 401, 403, 429, 502, 503, 504: self = .later
        case 413: self = .tooLarge
        default: self = .refused("the receiver responded with \(status.label)")
        }
    }
}
