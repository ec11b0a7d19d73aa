#if AllTests && DEBUG && !canImport(Darwin)
import Foundation
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainBrotli
import HTTPChainCore
import HTTPChainGzip
import HTTPChainSigning
import HTTPChainURLBuilder
import HTTPChainZstd
import HTTPTypes
import TestSupport

@testable import HTTPChainContentDigest
@testable import HTTPChainRateLimit

extension OutsideReader {
    /// Content codings: of the libraries' work only the calls, the chunks and the bytes are counted.
    static let codings =
        [coding("gunzip", "Middleware/Gzip/Codec", .gzip(level: 1), readBy: [.gzip, .deflate])] + brotli + zstd

    #if Brotli
    private static let brotli = [
        coding("brotli", "Middleware/Gzip/Brotli", .brotli(quality: 2), readBy: [.brotli])
    ]
    #else
    private static let brotli: [OutsideReader] = []
    #endif

    #if Zstd
    private static let zstd = [coding("zstd", "Middleware/Gzip/Zstd", .zstd(level: 1), readBy: [.zstd])]
    #else
    private static let zstd: [OutsideReader] = []
    #endif

    /// Parsers whose traits are disabled.
    static let withoutTrait =
        (brotli.isEmpty ? ["brotli"] : []) + (zstd.isEmpty ? ["zstd"] : []) + (yaml.isEmpty ? ["yaml"] : [])

    /// Content is as it is, or coded as a whole, or each line of it by itself, except those that begin with "!".
    private static func coding(
        _ name: String,
        _ folder: String,
        _ coding: ContentCoding,
        readBy codings: [ContentCoding]
    ) -> OutsideReader {
        OutsideReader(name: name, folders: [folder], further: ["!"]) { text in
            var known: [Data: Data] = [:]
            var parts = Data()
            for line in lines(of: text) {
                if line.first == UInt8(ascii: "!") {
                    parts += line.dropFirst()
                    continue
                }
                if known[line] == nil { known[line] = try await encoded(line, coding) }
                parts += known[line] ?? Data()
            }
            for content in [Data(text.utf8), parts, try await encoded(Data(text.utf8), coding)] {
                for size in [1, 16, max(1, content.count)] {
                    for coding in codings {
                        let body = HTTPBody.pieces(content, of: size).decoded(from: [coding], limits: .unlimited)
                        _ = await body.readChunks()
                    }
                }
            }
        }
    }

    private static func encoded(_ content: Data, _ coding: ContentCoding) async throws -> Data {
        try await HTTPBody(content).encoded(with: coding).collect()
    }

    /// Fields of responses that stages act on.
    static let fields: [OutsideReader] = [
        OutsideReader(
            name: "rate limits",
            folders: ["Middleware/RateLimit/Rules/ServerLimits.swift"],
            further: ["\"a\";r=1;t=1, ", "limit=1, remaining=1, reset=1, ", "1", ", ", ";pk=:YQ==:", "6m0s"]
        ) { text in
            func read(_ names: [String], _ value: String) {
                var head = HTTPResponse(status: .tooManyRequests)
                for name in names {
                    if let name = HTTPField.Name(name) { head.headerFields[name] = value }
                }
                _ = ServerLimits(head, now: Date(timeIntervalSince1970: 1))
            }
            for start in ["", "\"a\";r=1;t=1, ", "remaining=1, reset=1, a="] {
                read(["RateLimit", "RateLimit-Policy"], start + text)
            }
            read(["X-RateLimit-Remaining", "X-RateLimit-Reset"], text)
            read(["Retry-After", "Date"], text)
        },
        OutsideReader(
            name: "content digests",
            folders: ["Middleware/ContentDigest"],
            further: ["sha-256=:", "YWJj", ":, ", ";a=1", "a=("]
        ) { text in
            for name in ["Content-Digest", "Repr-Digest", "Content-MD5"] {
                guard let name = HTTPField.Name(name) else { continue }
                for start in ["", "sha-256=:", "sha-256=:YWJj:, "] { _ = DeclaredDigests([name: start + text]) }
            }
        },
    ]

    /// What is read before a request is sent, or sent again, or trusted.
    static let requests: [OutsideReader] = [
        OutsideReader(
            name: "digest",
            folders: ["Middleware/Auth/Digest/Exchange"],
            further: ["realm=\"a\", ", "nonce=b, ", "qop=\"auth,", "domain=\"/a ", "Digest ", ", "]
        ) { text in
            for start in [
                "", "Digest realm=\"a\", nonce=\"b\", ", "Digest realm=a, nonce=b, domain=\"", "Digest qop=\"",
            ] {
                for challenge in Challenge.parse([start + text]) { _ = DigestChallenge(challenge) }
                _ = DigestAuthenticationInfo([start + text])
            }
        },
        OutsideReader(
            name: "signatures",
            folders: ["Middleware/Signing/Messages", "Middleware/Signing/Webhooks"],
            further: ["sig=(", "\"accept\" ", ";sf", ");created=1", ", a=", ":AAAA:", "v1,AAAA ", "&a=1"]
        ) { text in
            let key = MessageVerificationKey(.hmacSHA256) { _, _ in false }
            let verifier = MessageVerifier(keys: [key], requiring: [])
            let components = "\"accept\" \"accept\";sf \"accept\";bs \"@query\" \"@query-param\";name=\"a\""
            let inputs = [
                text, "sig=(" + text, "sig=(\(components));created=1", "sig=(\"@method\");created=1;nonce=\"" + text,
            ]
            for input in inputs {
                for signature in [text, "sig=:AAAA:", "sig=:AAAA:, " + text] {
                    var request = HTTPRequest(
                        method: .get,
                        scheme: "https",
                        authority: "a.example",
                        path: "/?a=1&" + text
                    )
                    request.headerFields = [.accept: text]
                    for (name, value) in [("Signature-Input", input), ("Signature", signature)] {
                        if let name = HTTPField.Name(name) { request.headerFields[name] = value }
                    }
                    _ = try? await verifier.verify(SignedMessage(request), at: Date(timeIntervalSince1970: 1))
                }
            }
            try readRequested(text)
        },
        OutsideReader(
            name: "url",
            folders: ["Middleware/URLBuilder"],
            further: ["{a}", "{?q*}", "{+a:3}", "/../", "/{a}/", "%2e%2e/", "%%0%%", "/:a", ".example.com"]
        ) { text in
            let few: URLParameters = ["a": "7", "q": ["1", "2"]]
            let values: [URLValue] = text.utf8.split(separator: 0x0A).map { .string(String(Substring($0))) }
            let written: URLParameters = ["a": URLValue.string(text), "q": URLValue.array(values)]
            _ = try? URITemplate(text).expand(few)
            _ = try? URITemplate("/{a}{+a:100}{?q*}").expand(written)
            let builder = try URLBuilder(base: "https://a.example/b?c=1")
            for reference in [text, "https://" + text, "https://" + text + ".example.com/", "//" + text, "/" + text] {
                _ = try? builder.url(reference, URLArguments(path: few, query: ["q": "1"]))
                // Another builder, which has not read the reference before.
                _ = try? URLBuilder(base: "https://a.example/b?c=1").url(reference)
                _ = try? VariableNotations.all.variableNames(in: reference)
            }
            _ = try? builder.url("/{a}/{+a}", URLArguments(path: written, query: ["q": text]))
        },
    ]

    /// Reads what a server asks to sign, and a webhook.
    private static func readRequested(_ text: String) throws {
        let secret: Secret = "a secret of the growth tests"
        let key = try WebhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let signer = BuiltInSigner.messageSignature(try .hmacSHA256(secret), covering: [.method], acceptSignature: true)
        guard let asked = HTTPField.Name("Accept-Signature"), let origin = Origin("https://a.example"),
            let id = HTTPField.Name("webhook-id"), let time = HTTPField.Name("webhook-timestamp"),
            let signature = HTTPField.Name("webhook-signature")
        else { return }
        for start in ["", "sig=("] {
            _ = signer.scheme.wantsToSignAgain(
                after: Response(.unauthorized, headers: [asked: start + text]),
                from: origin
            )
        }
        _ = try? StandardWebhook.verify(
            [id: text, time: "1", signature: text],
            content: Data(),
            keys: [key],
            at: Date(timeIntervalSince1970: 1)
        )
    }
}
#endif
