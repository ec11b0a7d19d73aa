#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import TestSupport
import Testing

/// The retry stage decides by these.
@Suite("What an error of the client means", .heavy)
struct ErrorTranslationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: any Error
        let kind: TransportError.Kind
        let isNothingSent: Bool

        init(_ error: any Error, _ kind: TransportError.Kind, nothingSent: Bool) {
            self.error = error
            self.kind = kind
            isNothingSent = nothingSent
        }

        var testDescription: String { "\(error)" }
    }

    static let rows: [Row] = [
        Row(
            IOError(errnoCode: ECONNREFUSED, reason: "connection reset (error set)"),
            .cannotConnect,
            nothingSent: true
        ),
        Row(NIOHTTP2Errors.streamClosed(streamID: 3, errorCode: .refusedStream), .connectionLost, nothingSent: true),
        Row(
            NIOHTTP2Errors.streamError(
                streamID: 3,
                baseError: NIOHTTP2Errors.streamClosed(streamID: 3, errorCode: .refusedStream)
            ),
            .connectionLost,
            nothingSent: true
        ),
        Row(NIOHTTP2Errors.streamClosed(streamID: 3, errorCode: .cancel), .connectionLost, nothingSent: false),
        Row(NIOHTTP2Errors.streamClosed(streamID: 3, errorCode: .internalError), .connectionLost, nothingSent: false),
        Row(NIOHTTP2Errors.streamClosed(streamID: 3, errorCode: .enhanceYourCalm), .connectionLost, nothingSent: false),
        Row(NIOHTTP2Errors.createdStreamAfterGoaway(), .connectionLost, nothingSent: true),
        Row(NIOHTTP2Errors.noStreamIDAvailable(), .connectionLost, nothingSent: true),
        Row(NIOHTTP2Errors.ioOnClosedConnection(), .connectionLost, nothingSent: false),
        Row(NIOHTTP2Errors.missingPseudoHeader(":status"), .malformedResponse, nothingSent: false),
        Row(IOError(errnoCode: ENETUNREACH, reason: "write"), .connectionLost, nothingSent: false),
        Row(IOError(errnoCode: EHOSTUNREACH, reason: "read"), .connectionLost, nothingSent: false),
        Row(IOError(errnoCode: ENETDOWN, reason: "write"), .connectionLost, nothingSent: false),
        Row(IOError(errnoCode: EHOSTDOWN, reason: "write"), .connectionLost, nothingSent: false),
        Row(IOError(errnoCode: EADDRNOTAVAIL, reason: "connect"), .cannotConnect, nothingSent: true),
        Row(IOError(errnoCode: ECONNRESET, reason: "read"), .connectionLost, nothingSent: false),
        Row(IOError(errnoCode: EPIPE, reason: "write"), .connectionLost, nothingSent: false),
        Row(HTTPClientError.connectTimeout, .timedOut, nothingSent: true),
        Row(HTTPClientError.getConnectionFromPoolTimeout, .timedOut, nothingSent: true),
        Row(HTTPClientError.tlsHandshakeTimeout, .timedOut, nothingSent: true),
        Row(HTTPClientError.httpProxyHandshakeTimeout, .timedOut, nothingSent: true),
        Row(HTTPClientError.readTimeout, .timedOut, nothingSent: false),
        Row(HTTPClientError.writeTimeout, .timedOut, nothingSent: false),
        Row(HTTPClientError.deadlineExceeded, .timedOut, nothingSent: false),
        Row(HTTPClientError.remoteConnectionClosed, .connectionLost, nothingSent: false),
        Row(HTTPClientError.cancelled, .connectionLost, nothingSent: false),
        Row(HTTPClientError.alreadyShutdown, .shutDown, nothingSent: true),
        Row(HTTPClientError.proxyAuthenticationRequired, .cannotConnect, nothingSent: true),
        Row(HTTPClientError.bodyLengthMismatch, .other, nothingSent: false),
        Row(ChannelError.connectTimeout(.seconds(1)), .timedOut, nothingSent: true),
        Row(ChannelError.ioOnClosedChannel, .connectionLost, nothingSent: false),
        Row(HTTPParserError.invalidEOFState, .connectionLost, nothingSent: false),
        Row(HTTPParserError.invalidChunkSize, .malformedResponse, nothingSent: false),
        Row(HTTPParserError.invalidVersion, .malformedResponse, nothingSent: false),
        Row(NIOSSLError.handshakeFailed(.syscallError), .secureConnectionFailed, nothingSent: true),
        Row(NIOSSLError.noCertificateToValidate, .untrustedServer, nothingSent: true),
        Row(NIOSSLExtraError.failedToValidateHostname, .untrustedServer, nothingSent: true),
        Row(NIOSSLError.uncleanShutdown, .connectionLost, nothingSent: false),
        Row(NIOSSLError.shutdownFailed(.syscallError), .connectionLost, nothingSent: false),
        Row(NIOSSLError.readInInvalidTLSState, .connectionLost, nothingSent: false),
        Row(BoringSSLError.syscallError, .secureConnectionFailed, nothingSent: false),
        Row(HTTPClientError.socksHandshakeTimeout, .timedOut, nothingSent: true),
        Row(HTTPClientError.requestStreamCancelled, .connectionLost, nothingSent: false),
        Row(HTTPClientError.uncleanShutdown, .connectionLost, nothingSent: false),
        Row(HTTPClientError.invalidProxyResponse, .cannotConnect, nothingSent: true),
        Row(NIOSSLError.writeDuringTLSShutdown, .connectionLost, nothingSent: false),
        Row(NIOSSLError.unableToValidateCertificate, .untrustedServer, nothingSent: true),
        Row(NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), .secureConnectionFailed, nothingSent: true),
        Row(NIOSSLExtraError.invalidSNIHostname, .secureConnectionFailed, nothingSent: true),
        Row(CocoaError(.featureUnsupported), .other, nothingSent: false),
        Row(broken(by: NIOHTTP2Errors.excessiveRSTFrames()), .connectionLost, nothingSent: false),
        Row(broken(by: NIOHTTP2Errors.excessiveControlFrames()), .connectionLost, nothingSent: false),
        Row(broken(by: NIOHTTP2Errors.excessiveEmptyDataFrames()), .malformedResponse, nothingSent: false),
    ]

    static func broken(by cause: any Error) -> BrokenConnectionError {
        BrokenConnectionError(cause: cause, code: .enhanceYourCalm)
    }

    @Test("A connection that was closed for too many valid frames isn't told as a server that broke HTTP/2")
    func tooManyFrames() {
        let detail = ErrorTranslation.detail(of: Self.broken(by: NIOHTTP2Errors.excessiveRSTFrames()))
        #expect(detail.hasPrefix("the client closed the connection because the server sent too many frames"))
    }

    @Test("Only what cannot happen after the request was sent says that nothing was sent", arguments: rows)
    func classified(row: Row) {
        let (kind, isNothingSent) = ErrorTranslation.classify(row.error, hasHead: false)
        #expect(kind == row.kind && isNothingSent == row.isNothingSent)
    }

    @Test(
        "A request is sent again at once only if its connection was in use, and certainly didn't carry it",
        arguments: [
            (UnsentError(cause: ChannelError.ioOnClosedChannel) as any Error, true),
            (UnsentError(cause: HTTPClientError.cancelled), true),
            (UnsentError(cause: NIOHTTP2Errors.ioOnClosedConnection()), true),
            (NIOHTTP2Errors.createdStreamAfterGoaway(), true),
            // It may have been sent.
            (ChannelError.ioOnClosedChannel, false), (HTTPClientError.cancelled, false),
            (NIOHTTP2Errors.ioOnClosedConnection(), false),
            // These may be of a failed attempt to connect.
            (UnsentError(cause: HTTPClientError.remoteConnectionClosed), false),
            (UnsentError(cause: IOError(errnoCode: ECONNREFUSED, reason: "connect")), false),
            (UnsentError(cause: IOError(errnoCode: ECONNRESET, reason: "read")), false),
            (UnsentError(cause: NIOSSLError.uncleanShutdown), false),
            (UnsentError(cause: ChannelError.connectTimeout(.seconds(1))), false),
            // The exchange is over.
            (UnsentError(cause: HTTPClientError.deadlineExceeded), false),
            (UnsentError(cause: HTTPClientError.alreadyShutdown), false),
            (UnsentError(cause: CancellationError()), false),
        ]
    )
    func sentAgain(error: any Error, isSentAgain: Bool) {
        var resending = Resending()
        let count = (1...20).count { _ in resending.maySendAgain(after: error) }
        #expect(count == (isSentAgain ? Resending.limit - 1 : 0))
    }

    @Test("A stream that the server refuses is sent again once")
    func refusedStream() {
        var resending = Resending()
        let refused = NIOHTTP2Errors.streamClosed(streamID: 3, errorCode: .refusedStream)
        let wrapped = NIOHTTP2Errors.streamError(streamID: 5, baseError: refused)
        let closed = UnsentError(cause: ChannelError.ioOnClosedChannel)
        let errors: [any Error] = [refused, closed, wrapped]
        let decisions = errors.map { resending.maySendAgain(after: $0) }
        #expect(decisions == [true, true, false])
    }

    @Test("Once a head has come, no error of the connection or of TLS says that nothing was sent")
    func afterTheHead() {
        let errors: [any Error] = [
            IOError(errnoCode: ECONNREFUSED, reason: "read"), NIOSSLError.handshakeFailed(.syscallError),
            NIOSSLError.uncleanShutdown, NIOSSLExtraError.failedToValidateHostname, BoringSSLError.syscallError,
        ]
        for error in errors { #expect(!ErrorTranslation.classify(error, hasHead: true).nothingSent, "\(error)") }
        #expect(ErrorTranslation.classify(NIOSSLError.uncleanShutdown, hasHead: true).kind == .truncatedBody)
        #expect(ErrorTranslation.classify(HTTPParserError.invalidEOFState, hasHead: true).kind == .truncatedBody)
    }

    @Test("A refused connection is told in the system's words", .timeLimit(.minutes(10)))
    func refused() async throws {
        let refused = IOError(errnoCode: ECONNREFUSED, reason: "connection reset (error set)")
        #expect(ErrorTranslation.detail(of: refused) == "Connection refused")
        let error = await #expect(throws: TransportError.self) {
            try await AsyncHTTPClientTransport().send(.get("http://127.0.0.1:1/"))
        }
        #expect(error?.kind == .cannotConnect && error?.sent == .nothing)
        let text = String(describing: try #require(error))
        #expect(text.contains("Connection refused") && !text.contains("reset"), "\(text)")
    }
}
#endif
