public import HTTPChainCore

/// A failure of the exchange, and the point at which it strikes.
///
/// Each point fails as a network does there: with a ``/HTTPChainCore/TransportError`` whose
/// ``/HTTPChainCore/TransportError/sent`` says what the server may have seen. ``at(_:throwing:)`` throws an error of
/// yours instead.
public struct Fault: Sendable {
    /// A point in an exchange at which it fails.
    ///
    /// The points after the head strike whoever reads the body; an answer that cannot have one (to HEAD, 204, 304) is
    /// complete with its head.
    public enum Point: Sendable, Hashable {
        /// Before there is a connection: no byte of the request is read or sent.
        case beforeConnect
        /// After the whole request was sent, before the head of the response.
        case beforeHead
        /// After the head, before any byte of the body.
        case afterHead
        /// After this many bytes of the body, or at its end when it has fewer; a negative number counts as 0.
        case atByte(Int64)
        /// After the last byte of the body, in place of its end.
        case atEnd

        /// Whether the server may have seen the request.
        public var sent: TransportError.Sent {
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

    /// The point at which it fails.
    public let point: Point
    private let failure: Failure

    private init(point: Point, failure: Failure) {
        self.point = point
        self.failure = failure
    }

    /// Fails before there is a connection: nothing was sent.
    public static func beforeConnect(_ kind: TransportError.Kind = .cannotConnect) -> Fault {
        Fault(point: .beforeConnect, failure: .transport(kind))
    }

    /// Fails after the request was sent and before the head of the response: it may have reached the server.
    public static func beforeHead(_ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .beforeHead, failure: .transport(kind))
    }

    /// Fails after the head, before any byte of the body.
    public static func afterHead(_ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .afterHead, failure: .transport(kind))
    }

    /// Fails after `count` bytes of the body, or at its end when it has fewer.
    public static func atByte(_ count: Int64, _ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .atByte(count), failure: .transport(kind))
    }

    /// Fails after the last byte of the body, in place of its end.
    public static func atEnd(_ kind: TransportError.Kind = .connectionLost) -> Fault {
        Fault(point: .atEnd, failure: .transport(kind))
    }

    /// Throws an error of yours at a point.
    public static func at(_ point: Point, throwing error: any Error) -> Fault {
        Fault(point: point, failure: .custom(error))
    }

    /// The number of body bytes that still arrive; `nil` when all do.
    var deliveredBytes: Int64? {
        switch point {
        case .afterHead: 0
        case .atByte(let count): max(0, count)
        case .beforeConnect, .beforeHead, .atEnd: nil
        }
    }

    /// Whether it strikes while the body is read.
    var isInBody: Bool { point.sent == .answered }

    func error(transport: String, exchange: ExchangeSnapshot) -> any Error {
        switch failure {
        case .custom(let error): error
        case .transport(let kind): TransportError(kind, sent: point.sent, stage: transport, exchange: exchange)
        }
    }
}
