#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
package import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Network)
import Network
#endif

/// An error of the client for a request that no connection began to send.
package struct UnsentError: Error {
    let cause: any Error

    package init(cause: any Error) {
        self.cause = cause
    }
}

/// An error of this transport's handlers, with the text for its call.
protocol DetailedError: Error {
    var detail: String { get }
}

/// Translates the client's errors to the errors of all transports.
package struct ErrorTranslation: Sendable {
    package let request: WireRequest
    let upload: Upload?

    /// - Parameters:
    ///   - error: The client's error.
    ///   - response: The head, if it had arrived.
    func translate(_ error: any Error, response: HTTPResponse?) -> any Error {
        let unsent = error as? UnsentError
        let error = unsent?.cause ?? error
        if let failure = upload?.failure { return failure }
        if error is CancellationError || Task.isCancelled { return CancellationError() }
        if error is TransportError || error is InvalidRequestError || error is BodyError { return error }
        if let invalid = Self.invalidRequest(error, request) { return invalid }
        let redaction = request.redaction
        if let mismatch = error as? PinMismatchError {
            return TransportError(
                .untrustedServer,
                sent: .nothing,
                stage: "AsyncHTTPClientTransport",
                detail: mismatch.detail(for: Origin(request.url)?.host ?? mismatch.pinned.host),
                exchange: ExchangeSnapshot(request.head, response: response, redaction: redaction)
            )
        }
        let (kind, nothingSent) = Self.classify(error, hasHead: response != nil)
        return TransportError(
            kind,
            sent: response != nil ? .answered : nothingSent || unsent != nil ? .nothing : .maybe,
            stage: "AsyncHTTPClientTransport",
            detail: redaction.text(Self.detail(of: error), upTo: Redaction.longestShown),
            exchange: ExchangeSnapshot(request.head, response: response, redaction: redaction),
            underlyingError: error
        )
    }

    /// Returns the system's message, or an empty string if the error itself is more informative.
    package static func detail(of error: any Error) -> String {
        switch error {
        case let error as IOError:
            return String(cString: strerror(error.errnoCode))
        case let error as NIOConnectionError:
            if let failure = error.connectionErrors.first { return detail(of: failure.error) }
            return "\(error.host) is unknown"
        case let error as HTTPClientError:
            return error.shortDescription
        case let error as any DetailedError:
            return error.detail
        case let error as TooManyFieldsError:
            return error.description
        default:
            return ""
        }
    }

    private static func invalidRequest(_ error: any Error, _ request: WireRequest) -> InvalidRequestError? {
        guard let error = error as? HTTPClientError else { return nil }
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme:
            return InvalidRequestError(.invalidURL(request.redaction.url(request.url), error.shortDescription))
        case .traceRequestWithBody: return .traceWithBody
        default:
            // The client names invalid fields only in its description.
            let invalid = request.head.headerFields.first { field in
                field.value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
            }
            return invalid.map { InvalidRequestError(.invalidHeaderValue(name: $0.name.rawName)) }
        }
    }

    /// Returns the kind of an error, and whether the server certainly received no part of the request.
    package static func classify(_ error: any Error, hasHead: Bool) -> (kind: TransportError.Kind, nothingSent: Bool) {
        switch error {
        case let error as HTTPClientError:
            return classify(error)
        case let error as NIOConnectionError:
            let isUnresolved = error.connectionErrors.isEmpty && (error.dnsAError ?? error.dnsAAAAError) != nil
            return (isUnresolved ? .hostNotFound : .cannotConnect, true)
        case is SocketAddressError.UnknownHost:
            return (.hostNotFound, true)
        case let error as HTTPParserError:
            guard error == .invalidEOFState else { return (.malformedResponse, false) }
            return (hasHead ? .truncatedBody : .connectionLost, false)
        case is MalformedHeadError, is TooManyFieldsError:
            return (.malformedResponse, false)
        case let error as IOError:
            // A failure to connect is a NIOConnectionError. A plain IOError may come from an existing connection that
            // carried the request, and a lost route (ENETUNREACH, EHOSTUNREACH) is reported this way, too.
            let isRefused = [ECONNREFUSED, EADDRNOTAVAIL].contains(error.errnoCode)
            return isRefused && !hasHead ? (.cannotConnect, true) : (.connectionLost, false)
        case let error as ChannelError:
            if case .connectTimeout = error { return (.timedOut, true) }
            return (.connectionLost, false)
        case let error as NIOSSLError:
            return classify(error, hasHead: hasHead)
        case is BoringSSLError:
            // Handshake errors are wrapped. This error isn't, so it came later, when the request may have been sent.
            return (.secureConnectionFailed, false)
        case let error as NIOSSLExtraError:
            return (error == .failedToValidateHostname ? .untrustedServer : .secureConnectionFailed, !hasHead)
        default:
            return classifyHTTP2(error, hasHead: hasHead) ?? classifyOnApplePlatforms(error, hasHead: hasHead)
        }
    }

    private static func classify(_ error: NIOSSLError, hasHead: Bool) -> (kind: TransportError.Kind, nothingSent: Bool)
    {
        switch error {
        case .uncleanShutdown: (hasHead ? .truncatedBody : .connectionLost, false)
        case .shutdownFailed, .writeDuringTLSShutdown, .readInInvalidTLSState: (.connectionLost, false)
        case .noCertificateToValidate, .unableToValidateCertificate: (.untrustedServer, !hasHead)
        case .handshakeFailed(let cause) where "\(cause)".includes("CERTIFICATE_VERIFY_FAILED"):
            (.untrustedServer, !hasHead)
        default: (.secureConnectionFailed, !hasHead)
        }
    }

    private static func classify(_ error: HTTPClientError) -> (kind: TransportError.Kind, nothingSent: Bool) {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout, .socksHandshakeTimeout,
            .httpProxyHandshakeTimeout:
            (.timedOut, true)
        case .readTimeout, .writeTimeout, .deadlineExceeded:
            (.timedOut, false)
        case .remoteConnectionClosed, .cancelled, .requestStreamCancelled, .uncleanShutdown:
            (.connectionLost, false)
        case .alreadyShutdown:
            (.shutDown, true)
        case .proxyAuthenticationRequired, .invalidProxyResponse:
            (.cannotConnect, true)
        default:
            (.other, false)
        }
    }

    /// Returns the kind of an error of Network.framework, which the client uses on Apple platforms.
    private static func classifyOnApplePlatforms(
        _ error: any Error,
        hasHead: Bool
    ) -> (kind: TransportError.Kind, nothingSent: Bool) {
        #if canImport(Network)
        switch error {
        case let error as HTTPClient.NWPOSIXError:
            // Only errors that can occur only while connecting prove that nothing was sent. A lost route or network
            // also ends connections in use.
            switch error.errorCode {
            case .ECONNREFUSED, .EADDRNOTAVAIL:
                return hasHead ? (.connectionLost, false) : (.cannotConnect, true)
            case .ETIMEDOUT:
                return (.timedOut, false)
            default:
                return (.connectionLost, false)
            }
        case let error as HTTPClient.NWTLSError:
            // errSSLXCertChainInvalid, …UnknownRootCert, …NoRootCert, …CertExpired, …CertNotYetValid, …HostNameMismatch.
            let isUntrusted = [-9807, -9812, -9813, -9814, -9815, -9843].contains(error.status)
            // Certificates are checked only in the handshake. Any other alert may come after the request.
            return isUntrusted ? (.untrustedServer, !hasHead) : (.secureConnectionFailed, false)
        case NWError.dns:
            return (.hostNotFound, true)
        default:
            break
        }
        #endif
        return (.other, false)
    }
}
#endif
