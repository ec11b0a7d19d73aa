import Foundation
import HTTPChainCore
import HTTPTypes

/// The result of sending a batch once.
enum ExportVerdict: Sendable {
    /// The receiver accepted the batch.
    case accepted(rejected: Int, message: String?)
    /// The batch should be retried.
    ///
    /// The associated values are the wait that the receiver requested, whether the receiver may already have the batch,
    /// whether other batches would fail in the same way, and the error.
    case again(after: Duration?, isAmbiguous: Bool, holdsOthers: Bool, any Error)
    /// The batch should be sent in smaller parts.
    case tooLarge(any Error)
    /// The batch shouldn't be retried.
    case refused(any Error)

    /// Makes the verdict for a response.
    init(_ head: HTTPResponse, body: Data, format: any LogWireFormat, now: Date) {
        switch format.receipt(for: head, body: body) {
        case .accepted(let rejected, let message):
            self = .accepted(rejected: max(0, rejected), message: message)
        case .later:
            let wait = RetryAfter.wait(in: head.headerFields, now: now)
            let isUnknown = head.status == .unauthorized || head.status == .forbidden
            self = .again(
                after: wait,
                isAmbiguous: false,
                holdsOthers: isUnknown,
                LogShipperError(.later(head.status))
            )
        case .tooLarge: self = .tooLarge(LogShipperError(.tooLarge))
        case .refused(let reason):
            self = .refused(LogShipperError(.refused(reason)))
        }
    }

    /// Makes the verdict for an error of the chain or the transport.
    init(_ error: any Error, format: any LogWireFormat, now: Date) {
        if let error = error as? any ResponseError {
            self.init(error.response.head, body: error.response.body.bytes ?? Data(), format: format, now: now)
        } else if error is InvalidRequestError {
            self = .refused(error)
        } else {
            let isAmbiguous = Self.transportError(in: error)?.sent != .nothing
            self = .again(after: nil, isAmbiguous: isAmbiguous, holdsOthers: false, error)
        }
    }

    /// Returns the transport's own error, which stages may have wrapped.
    private static func transportError(in error: any Error) -> TransportError? {
        error.causes.lazy.compactMap { $0 as? TransportError }.first
    }
}
