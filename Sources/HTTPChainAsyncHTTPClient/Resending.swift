#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPChainCore
import NIOCore
import NIOHTTP2

/// Decides whether a request that wasn't processed is sent again immediately.
///
/// When a server is reloaded, or limits the number of requests per connection, it ends HTTP/2 connections with GOAWAY.
/// Streams above the last one that it names weren't processed (RFC 9113 §6.8), and the client (1.37) passes more
/// requests to the connection until it notices. A client may send all of these again automatically (§8.7).
package struct Resending {
    /// The maximum number of times that a request is sent.
    package static let limit = 10

    private var sent = 1
    private var wasRefused = false

    package init() {}

    /// Returns whether to send the request again after an error.
    package mutating func maySendAgain(after error: any Error) -> Bool {
        guard sent < Self.limit, isUnprocessed(error) else { return false }
        sent += 1
        return true
    }

    private mutating func isUnprocessed(_ error: any Error) -> Bool {
        let unsent = (error as? UnsentError)?.cause
        let (kind, nothingSent) = ErrorTranslation.classify(unsent ?? error, hasHead: false)
        guard kind == .connectionLost else { return false }
        if let unsent, Self.isOfConnectionInUse(unsent) { return true }
        guard nothingSent else { return false }
        // If the server can't serve the request now, sending it repeatedly would only add load.
        guard Self.isRefused(error) else { return true }
        defer { wasRefused = true }
        return !wasRefused
    }

    /// Whether an error is that of an established connection; others may be those of a failed attempt to connect.
    private static func isOfConnectionInUse(_ error: any Error) -> Bool {
        error is ChannelError || error is any NIOHTTP2Error || error as? HTTPClientError == .cancelled
    }

    /// Whether the server has reset the stream of a request with `REFUSED_STREAM`.
    private static func isRefused(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOHTTP2Errors.StreamError: isRefused(error.baseError)
        case let error as NIOHTTP2Errors.StreamClosed: error.errorCode == .refusedStream
        default: false
        }
    }
}
#endif
