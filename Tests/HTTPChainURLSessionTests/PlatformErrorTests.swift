#if AllTests
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

    static let codes: [(codes: [URLError.Code], kind: TransportError.Kind, sent: TransportError.Sent)] = [
        ([.cannotFindHost, .dnsLookupFailed], .hostNotFound, .nothing),
        ([.cannotConnectToHost, .notConnectedToInternet], .cannotConnect, .nothing),
        ([.internationalRoamingOff, .dataNotAllowed], .networkNotAllowed, .nothing),
        ([.appTransportSecurityRequiresSecureConnection], .insecureConnectionNotAllowed, .nothing),
        (
            [
                .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid,
            ],
            .untrustedServer, .nothing
        ),
        (
            [.secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired],
            .secureConnectionFailed, .nothing
        ),
        ([.networkConnectionLost, .callIsActive], .connectionLost, .maybe),
        ([.timedOut], .timedOut, .maybe),
        (
            [.badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData],
            .malformedResponse, .answered
        ),
        (
            [
                .unknown, .cancelled, .badURL, .unsupportedURL, .resourceUnavailable, .httpTooManyRedirects,
                .redirectToNonExistentLocation, .userAuthenticationRequired, .userCancelledAuthentication,
                .zeroByteResource, .requestBodyStreamExhausted, .fileDoesNotExist, .noPermissionsToReadFile,
                .dataLengthExceedsMaximum, .cannotLoadFromNetwork, .cannotCreateFile, .cannotWriteToFile,
                .backgroundSessionWasDisconnected,
            ],
            .other, .maybe
        ),
    ]

    @Test("Each code of the platform is a kind, and says what the server may have seen", arguments: codes)
    func eachCode(codes: [URLError.Code], kind: TransportError.Kind, sent: TransportError.Sent) {
        for code in codes {
            let error = PlatformError(URLError(code), isAnswered: false, mayHaveBeenSent: false)
            #expect(error.kind == kind && error.sent == sent, "\(code.rawValue)")
            let answered = PlatformError(URLError(code), isAnswered: true, mayHaveBeenSent: false)
            #expect(answered.kind == kind && answered.sent == .answered, "\(code.rawValue)")
        }
    }

    @Test("A code for a URL that the platform does not accept is an invalid request, which nothing was sent of")
    func invalidURL() throws {
        #expect(PlatformError.isInvalidURL(URLError(.badURL)))
        // On Linux also the code for a response that isn't HTTP.
        #expect(!PlatformError.isInvalidURL(URLError(.unsupportedURL)))
        #expect(!PlatformError.isInvalidURL(URLError(.cannotFindHost)))
        #expect(!PlatformError.isInvalidURL(POSIXError(.EINVAL)))
        let head = Request.get("https://h.example/?token=hunter2").head
        let error = Exchange.rejectedURL(of: head, .standard)
        #expect(error.reason.contains("does not accept it as a URL") && !"\(error)".contains("hunter2"))
    }

    #if canImport(FoundationNetworking)
    @Test("An IPv6 address in a URL is an invalid request, which says what to use instead", arguments: ["GET", "POST"])
    func addresses(method: String) async throws {
        let request = Request(try #require(.init(method)), "http://[::1]:9/a")
        let error = await #expect(throws: InvalidRequestError.self) { try await URLSessionTransport().send(request) }
        #expect(error?.reason.contains("[::1]:9/a") == true)
        #expect(error?.reason.contains("use a host name, or the AsyncHTTPClient transport") == true)
    }
    #endif

    @Test("A code that says what happened decides, in whatever language the text is")
    func language() {
        let texts = [
            "A TLS error caused the secure connection to fail.", "Ein TLS-Fehler ist aufgetreten: SSL, certificate",
            "Die Verbindung ist unsicher.", "HTTP/0.9",
        ]
        let codes: [(URLError.Code, TransportError.Kind)] = [
            (.serverCertificateUntrusted, .untrustedServer), (.serverCertificateHasBadDate, .untrustedServer),
            (.cannotFindHost, .hostNotFound), (.dataNotAllowed, .networkNotAllowed),
            (.appTransportSecurityRequiresSecureConnection, .insecureConnectionNotAllowed),
            (.notConnectedToInternet, .cannotConnect),
        ]
        for text in texts {
            for (code, kind) in codes {
                let platform = URLError(code, userInfo: [NSLocalizedDescriptionKey: text])
                let error = PlatformError(platform, isAnswered: false, mayHaveBeenSent: false)
                #expect(error.kind == kind, "\(code.rawValue), \(text)")
                #expect(error.detail.hasPrefix(text))
            }
        }
    }

    @Test("A connection that the user or the application has to allow says what to change")
    func notAllowed() {
        let advice: [(URLError.Code, String)] = [
            (.appTransportSecurityRequiresSecureConnection, "NSAppTransportSecurity"),
            (.dataNotAllowed, "mobile data is switched off"), (.internationalRoamingOff, "roaming is switched off"),
        ]
        for (code, words) in advice {
            let error = PlatformError(URLError(code), isAnswered: false, mayHaveBeenSent: false)
            #expect(error.detail.contains(words))
            #expect(error.sent == .nothing)
            #expect(error.kind != .cannotConnect)
        }
    }

    @Test("An error that is not the platform's says nothing of what was sent, and keeps its domain and code")
    func foreign() {
        let error = PlatformError(POSIXError(.ECONNREFUSED), isAnswered: false, mayHaveBeenSent: false)
        #expect(error.kind == .other && error.sent == .maybe)
        #expect((error.cause as NSError).domain == NSPOSIXErrorDomain)
        #expect((error.cause as NSError).code == Int(ECONNREFUSED))
    }

    #if canImport(FoundationNetworking)
    @Test("The words of an underlying error come first, and the URL is in no part of what is kept")
    func underlying() throws {
        let url = try #require(URL(string: "https://example.com/?token=hunter2"))
        let below = NSError(domain: "curl", code: 7, userInfo: [NSLocalizedDescriptionKey: "Failed to connect"])
        let info: [String: Any] = [
            NSUnderlyingErrorKey: below, NSLocalizedDescriptionKey: "the outer words",
            NSURLErrorFailingURLErrorKey: url,
        ]
        let error = PlatformError(URLError(.unknown, userInfo: info), isAnswered: false, mayHaveBeenSent: false)
        #expect(error.kind == .cannotConnect && error.sent == .nothing)
        #expect(error.detail == "Failed to connect")
        #expect((error.cause as? URLError)?.code == .unknown)
        #expect(!"\(error)".contains("hunter2") && !"\((error.cause as NSError).userInfo)".contains("hunter2"))
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
        ("Couldn't connect to server", .cannotConnect, true),
        ("SSL: certificate subject name 'a' does not match target host name 'b'", .untrustedServer, true),
        ("error setting certificate verify locations", .secureConnectionFailed, true),
        ("end of response with 10 bytes missing", .truncatedBody, false),
        ("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", .connectionLost, false),
        (
            "HTTP/2 stream 1 was closed cleanly, but before getting  all response header fields, treated as error",
            .connectionLost, false
        ),
        ("HTTP/2 stream 1 was not closed cleanly before end of the underlying stream", .connectionLost, false),
        ("Error in the HTTP2 framing layer", .connectionLost, false),
        ("Stream error in the HTTP/2 framing layer", .connectionLost, false),
        ("Connection died, tried 5 times before giving up", .connectionLost, false),
        ("Received HTTP/0.9 when not allowed", .malformedResponse, false),
        ("Unsupported HTTP version in response", .malformedResponse, false),
        ("Unsupported response code in HTTP response", .malformedResponse, false),
        ("Invalid Content-Length: value", .malformedResponse, false),
        ("Header without colon", .malformedResponse, false),
        ("Nul byte in header", .malformedResponse, false),
        ("Too large response headers: 307201 > 307200", .malformedResponse, false),
        ("Illegal or missing hexadecimal sequence in chunked-encoding", .malformedResponse, false),
        ("invalid chunk hex-length char", .malformedResponse, false),
        ("Error while processing content unencoding: invalid block type", .malformedResponse, false),
        ("Unrecognized content encoding type", .malformedResponse, false),
        ("Weird server reply", .malformedResponse, false),
        ("words that nobody knows", .other, false),
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
    #endif
}
#endif
