import Foundation
import HTTPChainCore
import HTTPTypes

/// What came of sending a batch once.
enum ExportVerdict: Sendable {
    /// The receiver has it.
    case accepted(rejected: Int, message: String?)
    /// It is to be sent again; how long the receiver asks to wait, whether it may have the batch without having said
    /// so, and what happened.
    case again(after: Duration?, isDoubtful: Bool, any Error)
    /// It is not to be sent again.
    case refused(any Error)

    /// What an answer means.
    init(_ head: HTTPResponse, body: Data, format: any LogWireFormat, now: Date) {
        switch format.receipt(for: head, body: body) {
        case .accepted(let rejected, let message):
            self = .accepted(rejected: max(0, rejected), message: message)
        case .later:
            let wait = Self.retryAfter(head.headerFields, now: now)
            self = .again(after: wait, isDoubtful: false, LogShipperError(.later(head.status)))
        case .refused(let reason):
            self = .refused(LogShipperError(.refused(reason)))
        }
    }

    /// What an error of the chain or the transport means.
    init(_ error: any Error, format: any LogWireFormat, now: Date) {
        if let error = error as? any ResponseError {
            self.init(error.response.head, body: error.response.body.bytes ?? Data(), format: format, now: now)
        } else if error is InvalidRequestError {
            self = .refused(error)
        } else {
            self = .again(after: nil, isDoubtful: Self.transportError(in: error)?.sent != .nothing, error)
        }
    }

    /// The transport's own error, which a stage may have wrapped.
    private static func transportError(in error: any Error) -> TransportError? {
        var error: (any Error)? = error
        for _ in 0..<16 {
            if let found = error as? TransportError { return found }
            error = (error as? any HTTPChainError)?.underlyingError
        }
        return nil
    }

    /// How long the receiver asks to wait, RFC 9110 §10.2.3: in seconds, or until a date, which is read against the
    /// answer's own where it has one.
    static func retryAfter(_ fields: HTTPFields, now: Date) -> Duration? {
        guard let text = fields[values: .retryAfter].last?.trimmingCharacters(in: .whitespaces), !text.isEmpty else {
            return nil
        }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int64(text) ?? .max, 1 << 32))
        }
        guard let date = HTTPDate(text, now: now)?.date else { return nil }
        let reference = fields[.date].flatMap { HTTPDate($0, now: now)?.date } ?? now
        return .seconds(max(0, date.timeIntervalSince(reference).rounded(.up)))
    }
}
