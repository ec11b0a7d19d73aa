/// An error of a stage that may be the network's: something was to be fetched for a call, such as a token, and could not
/// be.
///
/// A stage that repeats calls judges it as what ``networkFailure`` says.
public protocol NetworkFailure: HTTPChainError {
    /// The failure of the network behind this error, as seen by the call: ``TransportError/Sent/nothing`` when nothing
    /// of the call itself had been sent. `nil` when the network is not to blame.
    var networkFailure: TransportError? { get }
}

extension Error {
    /// Whether a call failed before anything of its request was sent, so that sending it again does nothing twice.
    package var isBeforeSending: Bool {
        switch self {
        case let error as TransportError: error.sent == .nothing
        case let error as any TimeoutFailure: error.sent == .nothing
        case let error as any NetworkFailure: error.networkFailure?.sent == .nothing
        default: false
        }
    }
}

extension TransportError {
    /// The failure of a request that a stage sent on behalf of a call, as a failure of that call.
    ///
    /// - Parameters:
    ///   - cause: What the request failed with, or an error that was caused by that.
    ///   - stage: The stage that sent it.
    ///   - exchange: The call's own exchange; one with a response says that the server had answered.
    /// - Returns: `nil` when the network is not to blame.
    public static func behind(
        _ cause: (any Error)?,
        stage: String,
        exchange: ExchangeSnapshot?
    ) -> TransportError? {
        for cause in cause?.causes ?? [] {
            let kind: Kind
            switch cause {
            case let error as TransportError: kind = error.kind
            case let error as any TimeoutFailure where error.scope != .call: kind = .timedOut
            default: continue
            }
            return TransportError(
                kind,
                sent: exchange?.response == nil ? .nothing : .answered,
                stage: stage,
                detail: "for a request that \(stage) sent first",
                exchange: exchange,
                underlyingError: cause
            )
        }
        return nil
    }
}
