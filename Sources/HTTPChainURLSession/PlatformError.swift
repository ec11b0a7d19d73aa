import Foundation
import HTTPChainCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The meaning of a platform error for the exchange.
struct PlatformError {
    let kind: TransportError.Kind
    let sent: TransportError.Sent
    let detail: String
    /// The platform's error without the URL, which may contain secrets.
    let cause: any Error

    /// - Parameters:
    ///   - error: The platform's error.
    ///   - isAnswered: Whether a response head had arrived.
    ///   - mayHaveBeenSent: Whether the platform may have sent the request earlier, on a reused connection that turned
    ///     out to be closed. If so, a failure to connect again says nothing about the first attempt.
    init(_ error: any Error, isAnswered: Bool, mayHaveBeenSent: Bool) {
        let text = Self.text(of: error)
        let kind = Self.kind(of: error, text)
        let happensBeforeSending =
            switch kind {
            case .hostNotFound, .cannotConnect, .secureConnectionFailed, .untrustedServer, .networkNotAllowed,
                .insecureConnectionNotAllowed:
                !mayHaveBeenSent
            default: false
            }
        let detail = [text, Self.advice(on: error) ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
        self.kind = kind
        self.detail = detail
        let info = detail.isEmpty ? [:] : [NSLocalizedDescriptionKey: detail]
        let platform = error as NSError
        cause =
            (error as? URLError).map { URLError($0.code, userInfo: info) }
            ?? NSError(domain: platform.domain, code: platform.code, userInfo: info)
        sent = isAnswered || kind == .malformedResponse ? .answered : happensBeforeSending ? .nothing : .maybe
    }

    /// Whether the platform didn't accept the URL of the request, and therefore sent nothing.
    ///
    /// `unsupportedURL` isn't enough, because on Linux it is also the code for a response that isn't HTTP.
    static func isInvalidURL(_ error: any Error) -> Bool { (error as? URLError)?.code == .badURL }

    private static func kind(of error: any Error, _ text: String) -> TransportError.Kind {
        let code = (error as? URLError)?.code
        if PlatformBehaviour.explainsInWords(code) {
            for (words, kind) in phrases where text.includes(words) { return kind }
        }
        if PlatformBehaviour.restriction(of: error) != nil { return .networkNotAllowed }
        switch code {
        case .cannotFindHost, .dnsLookupFailed: return .hostNotFound
        case .cannotConnectToHost, .notConnectedToInternet: return .cannotConnect
        case .internationalRoamingOff, .dataNotAllowed: return .networkNotAllowed
        case .appTransportSecurityRequiresSecureConnection: return .insecureConnectionNotAllowed
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            return .untrustedServer
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
            return .secureConnectionFailed
        case .networkConnectionLost, .callIsActive: return .connectionLost
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            return .malformedResponse
        case .timedOut: return .timedOut
        default: return .other
        }
    }

    /// Returns advice for a failure that persists until the application or its user changes something.
    private static func advice(on error: any Error) -> String? {
        if let restriction = PlatformBehaviour.restriction(of: error) { return restriction }
        switch (error as? URLError)?.code {
        case .internationalRoamingOff: return "data roaming is switched off in the settings of the device"
        case .dataNotAllowed: return "mobile data is switched off, for the device or for this application"
        case .appTransportSecurityRequiresSecureConnection:
            return "send to an https URL, or name the host in Info.plist: NSAppTransportSecurity, NSExceptionDomains"
        default: return nil
        }
    }

    /// The phrases in libcurl's error buffer and their meanings.
    private static let phrases: [(String, TransportError.Kind)] = [
        ("Empty reply from server", .connectionLost),
        ("with outstanding read data remaining", .connectionLost),
        ("bytes remaining to read", .truncatedBody),
        ("end of response with", .truncatedBody),
        ("Recv failure", .connectionLost),
        ("Send failure", .connectionLost),
        ("HTTP/2 stream", .connectionLost),
        ("framing layer", .connectionLost),
        ("Connection died", .connectionLost),
        ("HTTP/0.9", .malformedResponse),
        ("Unsupported HTTP", .malformedResponse),
        ("Unsupported response code", .malformedResponse),
        ("Invalid Content-Length", .malformedResponse),
        ("Header without colon", .malformedResponse),
        ("Nul byte in header", .malformedResponse),
        ("Too large response headers", .malformedResponse),
        ("Failed writing header", .malformedResponse),
        ("chunked-encoding", .malformedResponse),
        ("chunk hex-length", .malformedResponse),
        ("content unencoding", .malformedResponse),
        ("content encoding type", .malformedResponse),
        ("Weird server reply", .malformedResponse),
        ("SSL_read", .connectionLost),
        ("SSL_write", .connectionLost),
        ("SSL certificate problem", .untrustedServer),
        ("alternative certificate subject name", .untrustedServer),
        ("certificate subject name", .untrustedServer),
        ("SSL", .secureConnectionFailed),
        ("TLS", .secureConnectionFailed),
        ("certificate", .secureConnectionFailed),
        ("Could not resolve", .hostNotFound),
        ("Failed to connect", .cannotConnect),
        ("Couldn't connect", .cannotConnect),
        ("Connection timed out", .timedOut),
    ]

    private static func text(of error: any Error) -> String {
        let info = (error as NSError).userInfo
        let text =
            (info[NSUnderlyingErrorKey] as? NSError)?.userInfo[NSLocalizedDescriptionKey] as? String
            ?? info[NSLocalizedDescriptionKey] as? String
        guard let text else { return "" }
        // libcurl reports "Failed writing header" if FoundationNetworking rejects one.
        return text == "Failed writing header"
            ? text + ": a field that is not UTF-8, or a malformed status line" : text
    }
}
