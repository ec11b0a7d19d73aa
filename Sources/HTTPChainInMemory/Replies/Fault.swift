public import HTTPChainCore

/// A failure of the exchange at a given point.
///
/// The exchange fails as it would on a network at that point, with a ``/HTTPChainCore/TransportError`` whose
/// ``/HTTPChainCore/TransportError/sent`` shows what the server may have received.
public struct Fault: Sendable {
    /// A point in an exchange at which it fails.
    ///
    /// Points after the head affect reading the body. A response that can't have a body (to HEAD, 204, 304) is complete
    /// with its head.
    package enum Point: Sendable, Hashable {
        /// Before the connection is made: no byte of the request is read or sent.
        case beforeConnect
        /// After the whole request has been sent, before the head of the response.
        case beforeHead
        /// After the head, before any byte of the body.
        case afterHead
        /// After this many bytes of the body, or at its end if it has fewer; a negative number counts as 0.
        case atByte(Int64)
        /// After the last byte of the body, instead of its end.
        case atEnd

        /// Whether the server may have seen the request.
        package var sent: TransportError.Sent {
            switch self {
            case .beforeConnect: .nothing
            case .beforeHead: .maybe
            case .afterHead, .atByte, .atEnd: .answered
            }
        }
    }

    private enum Failure: Sendable {
        case transport(TransportError.Kind)
        case custom(any Error)
    }

    /// The point at which the exchange fails.
    package let point: Point
    private let failure: Failure

    /// Fails before the connection is made, so nothing has been sent.
    public static func beforeConnect(_ kind: TransportError.Kind = .cannotConnect) -> Fault {
        Fault(point: .beforeConnect, failure: .transport(kind))
    }

    /// Fails after the request has been sent, before the head of the response, so the request may have reached the
    /// server.
    public static func beforeHead(_ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .beforeHead, failure: .transport(kind))
    }

    /// Fails after the head, before any byte of the body.
    package static func afterHead(_ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .afterHead, failure: .transport(kind))
    }

    /// Fails after `count` bytes of the body, or at its end if it has fewer; 0 fails after the head.
    public static func atByte(_ count: Int64, _ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .atByte(count), failure: .transport(kind))
    }

    /// Fails after the last byte of the body, instead of its end.
    package static func atEnd(_ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .atEnd, failure: .transport(kind))
    }

    /// Throws a custom error at a point.
    package static func at(_ point: Point, throwing error: any Error) -> Fault {
        Fault(point: point, failure: .custom(error))
    }

    /// The number of body bytes that are delivered; `nil` for all.
    var deliveredBytes: Int64? {
        switch point {
        case .afterHead: 0
        case .atByte(let count): max(0, count)
        case .beforeConnect, .beforeHead, .atEnd: nil
        }
    }

    /// Whether the fault occurs while the body is read.
    var isInBody: Bool { point.sent == .answered }

    func error(transport: String, exchange: ExchangeSnapshot) -> any Error {
        switch failure {
        case .custom(let error): error
        case .transport(let kind): TransportError(kind, sent: point.sent, stage: transport, exchange: exchange)
        }
    }
}
