/// An error of a stage that couldn't fetch something for a call, such as a token, possibly because of the network.
///
/// A stage that retries calls treats it as the error in ``networkFailure``.
package protocol NetworkFailure: AnnotatedError {
    /// The network failure behind this error, from the call's point of view: ``TransportError/Sent/nothing`` if nothing
    /// of the call itself was sent.
    ///
    /// `nil` if the network wasn't the cause.
    var networkFailure: TransportError? { get }
    /// Whether repeating the call resumes this one, so that a retry is safe even if the server has received a part;
    /// `false` by default.
    var resumes: Bool { get }
}

extension NetworkFailure {
    package var resumes: Bool { false }
}

extension Error {
    /// Whether a call failed before anything of its request was sent, so that a retry can't duplicate it.
    package var isBeforeSending: Bool {
        if (self as? any AnnotatedError)?.notes[FollowsSendingNote.self] != nil { return false }
        return switch self {
        case let error as TransportError: error.sent == .nothing
        case let error as any TimeoutFailure: error.sent == .nothing
        case let error as any NetworkFailure: error.networkFailure?.sent == .nothing
        case let error as UserChangedError: error.exchange?.response == nil
        default: self is any RefusalError
        }
    }

    /// The error of a call with an earlier attempt that may have reached the server: it doesn't say that nothing was
    /// sent.
    ///
    /// A stage that makes several attempts, and throws the error of the last one, throws this instead.
    package var afterSending: any Error {
        switch self {
        case let error as TransportError where error.sent == .nothing: return error.maybeSent
        case var error as TimeoutError:
            error.followsSending = true
            return error
        case var error as any AnnotatedError where error.isBeforeSending:
            error.notes[FollowsSendingNote.self] = FollowsSendingNote()
            return error
        default: return self
        }
    }
}

/// A note that an earlier request of the call may have reached the server.
private struct FollowsSendingNote: ErrorNote, CustomStringConvertible {
    typealias Value = Self

    var description: String { "an earlier request of this call may have reached the server" }
}

extension TransportError {
    /// Converts the failure of a request that a stage sent on behalf of a call to a failure of that call.
    ///
    /// - Parameters:
    ///   - cause: The request's error, or an error caused by it.
    ///   - stage: The stage that sent the request.
    ///   - exchange: The call's own exchange. If it has a response, the error says that the server had responded.
    /// - Returns: `nil` if the network wasn't the cause.
    package static func behind(
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
