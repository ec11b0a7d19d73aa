#if AllTests
import Foundation
import HTTPChain
import HTTPChainContentDigest
import TestSupport
import Testing

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

/// A server that was not written here; the script `servers` in this folder starts it.
enum Server: String {
    case httpbin = "HTTPCHAIN_HTTPBIN"
    case nginx = "HTTPCHAIN_NGINX"
    case apache = "HTTPCHAIN_APACHE"
    case lighttpd = "HTTPCHAIN_LIGHTTPD"
    /// tuspyserver, which takes uploads by tus 1.0.
    case tus = "HTTPCHAIN_TUS"
    /// nginx over TLS, with a certificate of the tests' own authority.
    case tls = "HTTPCHAIN_TLS_GOOD"
    /// With a certificate of an authority that nobody knows.
    case stranger = "HTTPCHAIN_TLS_FOREIGN"
    /// With a certificate that has expired.
    case expired = "HTTPCHAIN_TLS_EXPIRED"
    /// With a certificate for another host.
    case elsewhere = "HTTPCHAIN_TLS_ELSEWHERE"
    /// Connections end before a byte of theirs is read.
    case cutAtAccept = "HTTPCHAIN_TLS_CUT_ACCEPT"
    /// Connections to ``tls`` end when the client has said hello.
    case cutAtHello = "HTTPCHAIN_TLS_CUT_HELLO"
    /// They end in the middle of the handshake.
    case cutInHandshake = "HTTPCHAIN_TLS_CUT_HANDSHAKE"
    /// Connections over TLS end when a request was read to its end, with no answer.
    case cutWhenAsked = "HTTPCHAIN_TLS_CUT_ASKED"
    /// Connections to ``tls`` end when the client has sent 300,000 bytes.
    case cutInUpload = "HTTPCHAIN_TLS_CUT_UPLOAD"
    /// They end when the server has sent 3 MB.
    case cutInDownload = "HTTPCHAIN_TLS_CUT_DOWNLOAD"
    /// Sends the frames of HTTP/2 that a path asks for: `frames.py`.
    case frames = "HTTPCHAIN_FRAMES"
    /// Counts the requests of ``frames``, ``front``, ``idle`` and ``idlePlain``, reloads nginx and kills it; over plain HTTP.
    case control = "HTTPCHAIN_FRAMES_CONTROL"
    /// nginx over HTTP/2, which can be reloaded and killed.
    case front = "HTTPCHAIN_NGINX_FRONT"
    /// The same nginx; it ends connections that are idle for a second.
    case idle = "HTTPCHAIN_NGINX_IDLE"
    /// The same over HTTP/1.1 without TLS.
    case idlePlain = "HTTPCHAIN_NGINX_IDLE_PLAIN"

    /// Its base URL; `nil` when it does not run, which is said loudly, and is a failure where it must.
    func base(sourceLocation: SourceLocation = #_sourceLocation) -> String? {
        let environment = ProcessInfo.processInfo.environment
        if let base = environment[rawValue], !base.isEmpty { return base }
        Programs.notRun(
            """
            \(rawValue) names no server; start one with: \
            eval "$(Tests/InteroperabilityTests/servers start DIRECTORY)"
            """,
            sourceLocation: sourceLocation
        )
        return nil
    }
}

/// What carries the requests.
enum Carrier: String, CaseIterable, CustomTestStringConvertible {
    case urlSession = "URLSession"
    #if AsyncHTTPClient
    case asyncHTTPClient = "AsyncHTTPClient"
    #endif

    var testDescription: String { rawValue }

    var transport: any Transport {
        switch self {
        case .urlSession: URLSessionTransport()
        #if AsyncHTTPClient
        case .asyncHTTPClient: AsyncHTTPClientTransport()
        #endif
        }
    }

    /// A chain of every stage that makes requests.
    func chain(to base: String, compressing compression: CompressionSettings? = nil) throws -> Chain {
        try Chain(transport: transport) {
            SerializerMiddleware(.json, .form)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base)
            HeadersMiddleware([.userAgent: "HTTPChain/interoperability"])
            MultipartMiddleware()
            GzipMiddleware(requests: compression)
            ContentDigestMiddleware()
        }
    }
}

/// Text that compresses well, and yet is longer than zlib's window.
let longText = (0..<20_000).map { "line \($0): sea, sky & ü\n" }.joined()
#endif
