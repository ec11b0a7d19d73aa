import Foundation
import HTTPChainCore
import HTTPTypes

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Signs outgoing webhooks according to the Standard Webhooks specification.
struct WebhookSigner: SignatureScheme {
    let keys: [WebhookKey]

    /// Always "Standard Webhooks".
    var schemeSummary: String { "Standard Webhooks" }

    /// The number of keys.
    var settings: [StageSummary.Setting] { [StageSummary.Setting(name: "keys", value: "\(keys.count)")] }

    /// The option for the identifier.
    var optionsRead: [any RequestOption.Type] { [WebhookIDOption.self] }

    /// Always `true`: the signer waits only for the content.
    var keepsDeadlines: Bool { true }

    /// Adds the identifier, the time and the signatures.
    ///
    /// - Throws: ``SigningError``; rethrows errors from reading the content.
    func addSignature(to request: inout Request, for origin: Origin) async throws {
        guard let id = request.options[WebhookIDOption.self] ?? request.headers[.webhookID], !id.isEmpty else {
            throw SigningError(.noWebhookID)
        }
        let now = request.environment.time.date
        let time = String(Int64(HTTPDate(now).date.timeIntervalSince1970))
        let prefix = Data(StandardWebhook(id: id, timestamp: now).prefix(time: time).utf8)
        let macs = try await ContentPass.read(
            request.body,
            into: WebhookMACs(keys: keys, prefix: prefix)
        )
        request.headers[.webhookID] = id
        request.headers[.webhookTimestamp] = time
        request.headers[.webhookSignature] = macs.signatures.joined(separator: " ")
        request.bindFields([.webhookSignature], to: origin)
    }

    /// Returns a problem if there are no keys.
    func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] {
        guard keys.isEmpty else { return [] }
        return [
            ChainProblem(stage: stage, problem: "\(stage) has no key to sign webhooks with", fix: "give it one (keys:)")
        ]
    }
}

/// Computes the codes for all keys in one pass over the content.
private struct WebhookMACs: ContentHash {
    private var macs: [HMAC<SHA256>]

    init(keys: [WebhookKey], prefix: Data) {
        macs = keys.map { key in
            var mac = HMAC<SHA256>(key: key.key)
            mac.update(data: prefix)
            return mac
        }
    }

    mutating func update(_ bytes: Data) {
        for index in macs.indices { macs[index].update(data: bytes) }
    }

    var signatures: [String] { macs.map { "v1,\(Data($0.finalize()).base64EncodedString())" } }
}

extension RequestSigner where Self == BuiltInSigner {
    /// Signs outgoing webhooks according to the Standard Webhooks specification.
    ///
    /// ```swift
    /// let chain = try Chain(transport: transport) {
    ///     RetryMiddleware()
    ///     SigningMiddleware(.webhook(keys: [key]), for: "https://receiver.example.com")
    /// }
    /// let delivery = Request.post(url, body: HTTPBody(event)).signing(webhookID: "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk")
    /// try await chain.send(delivery)
    /// ```
    ///
    /// The caller sets the identifier with ``HTTPChainCore/Request/signing(webhookID:)`` or the request's `webhook-id`
    /// field. It stays the same in all retries. The time is that of the attempt.
    ///
    /// **Rotation.** With several keys, a request has a signature for each of them. The receiver needs only one of the
    /// keys.
    ///
    /// - Parameter keys: The keys. The current one is first.
    public static func webhook(keys: [WebhookKey]) -> BuiltInSigner { BuiltInSigner(scheme: WebhookSigner(keys: keys)) }
}
