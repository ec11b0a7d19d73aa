import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Errors of the platform")
struct PlatformErrorTests {
    @Test(
        "A connection that could not be made means nothing sent, unless the request may have gone out before",
        arguments: [URLError.Code.cannotConnectToHost, .cannotFindHost, .secureConnectionFailed]
    )
    func restarted(code: URLError.Code) {
        let first = PlatformError(URLError(code), isAnswered: false, mayHaveBeenSent: false)
        #expect(first.sent == .nothing)
        let again = PlatformError(URLError(code), isAnswered: false, mayHaveBeenSent: true)
        #expect(again.sent == .maybe)
        #expect(again.kind == first.kind)
    }

    @Test("A request may have gone out before when its body was asked for again or taken, or when a POST has none")
    func starts() {
        let body = Upload.bytes(Data("a".utf8))
        #expect(!body.mayHaveBeenSent(starts: 1, wasTaken: false, method: .post))
        #expect(body.mayHaveBeenSent(starts: 2, wasTaken: false, method: .post))
        #expect(body.mayHaveBeenSent(starts: 1, wasTaken: true, method: .post))
        #expect(Upload.none.mayHaveBeenSent(starts: 0, wasTaken: false, method: .post))
        #expect(!Upload.none.mayHaveBeenSent(starts: 0, wasTaken: false, method: .get))
    }

    /// What libcurl writes into its error buffer, as FoundationNetworking passes it on.
    static let texts: [(text: String, kind: TransportError.Kind, isNothingSent: Bool)] = [
        ("Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server", .cannotConnect, true),
        ("Could not resolve host: nowhere.invalid", .hostNotFound, true),
        ("SSL certificate problem: self-signed certificate", .untrustedServer, true),
        ("SSL: no alternative certificate subject name matches target host name", .untrustedServer, true),
        ("TLS connect error: error:0A00042E:SSL routines::tlsv1 alert protocol version", .secureConnectionFailed, true),
        ("OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 104", .connectionLost, false),
        ("OpenSSL SSL_write: Broken pipe, errno 32", .connectionLost, false),
        ("Recv failure: Connection reset by peer", .connectionLost, false),
        ("Send failure: Broken pipe", .connectionLost, false),
        ("Empty reply from server", .connectionLost, false),
        ("transfer closed with 10 bytes remaining to read", .truncatedBody, false),
        ("transfer closed with outstanding read data remaining", .connectionLost, false),
        ("Connection timed out after 1001 milliseconds", .timedOut, false),
    ]

    @Test("Only what cannot happen after the request was sent says that nothing was sent", arguments: texts)
    func classified(text: String, kind: TransportError.Kind, isNothingSent: Bool) {
        let platform = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
        let error = PlatformError(platform, isAnswered: false, mayHaveBeenSent: false)
        #expect(error.kind == kind && (error.sent == .nothing) == isNothingSent)
        #expect(error.detail == text)
        let answered = PlatformError(platform, isAnswered: true, mayHaveBeenSent: false)
        #expect(answered.sent == .answered)
    }
}
