#if AsyncHTTPClient
import HTTPChainCore
import NIOHTTP2

extension ErrorTranslation {
    /// Returns the kind of an HTTP/2 failure, and whether the server certainly didn't process the request; `nil` for
    /// other errors.
    static func classifyHTTP2(_ error: any Error, hasHead: Bool) -> (kind: TransportError.Kind, nothingSent: Bool)? {
        switch error {
        case let error as NIOHTTP2Errors.StreamError:
            return classifyHTTP2(error.baseError, hasHead: hasHead)
        case let error as NIOHTTP2Errors.StreamClosed:
            // RFC 9113 §8.7: "REFUSED_STREAM … indicates that the stream is being closed prior to any processing having
            // occurred. Any request that was sent on the reset stream can be safely retried."
            return (.connectionLost, error.errorCode == .refusedStream && !hasHead)
        case is UnprocessedStreamError:
            return (.connectionLost, !hasHead)
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway, is NIOHTTP2Errors.NoStreamIDAvailable,
            is NIOHTTP2Errors.MaxStreamsViolation:
            // The stream was never opened (RFC 9113 §5.1.1, §5.1.2, §6.8).
            return (.connectionLost, !hasHead)
        case let error as BrokenConnectionError:
            return (error.isOfRate ? .connectionLost : .malformedResponse, false)
        case let error as MalformedStreamError:
            return (error.isOfLength && hasHead ? .truncatedBody : .malformedResponse, false)
        case is NIOHTTP2Errors.IOOnClosedConnection, is NIOHTTP2Errors.NoSuchStream:
            return (.connectionLost, false)
        case is any NIOHTTP2Error:
            // The server broke the protocol, for example with a head without a status (RFC 9113 §8.1.1).
            return (.malformedResponse, false)
        default:
            return nil
        }
    }
}
#endif
