import Foundation
import HTTPChainCore
import HTTPTypes

@testable import HTTPChainSigning

/// `Signature-Input` in the first line, `Signature` in the second, `Accept-Signature` in the third, `webhook-signature` in
/// the fourth.
///
/// No signature counts that was not made with the key, whatever the fields say; a base is ASCII, and bounded; what a server
/// asks for is signed, or is not followed.
func checkSignatures(_ input: Input) -> Int32 {
    let lines = input.lines + ["", "", "", ""]
    var request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/p?q=1&r=%20")
    for (name, value) in zip(["Signature-Input", "Signature", "Accept-Signature"], lines) {
        guard let name = HTTPField.Name(name), !value.isEmpty else { continue }
        request.headerFields[name] = value
    }
    let never = MessageVerificationKey(.hmacSHA256) { _, base in
        require(base.allSatisfy { (0x20...0x7E).contains($0) || $0 == 9 || $0 == 10 }, "the base is not ASCII")
        require(base.count < 4_194_304, "the base has \(base.count) bytes")
        return false
    }
    let verifier = MessageVerifier(keys: [never], requiring: [], nonces: NonceMemory(limit: 1))
    let response = HTTPResponse(status: .ok, headerFields: request.headerFields)
    let now = Date(timeIntervalSince1970: 1_618_884_473)
    for message in [SignedMessage(request), SignedMessage(response, answering: request)] {
        let refusal = finish { () async -> Bool in
            do {
                _ = try await verifier.verify(message, at: now)
                return false
            } catch {
                return error is SigningError
            }
        }
        require(refusal, "a signature counts that nobody made, or the error is another")
    }
    checkAskedSignature(lines[2])
    if let webhook = try? WebhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") {
        var fields: HTTPFields = [:]
        for (name, value) in [
            "webhook-id": lines[2], "webhook-timestamp": "1618884473", "webhook-signature": lines[3],
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let counts = (try? StandardWebhook.verify(fields, content: Data(), keys: [webhook], at: now)) != nil
        require(!counts, "a webhook counts that nobody signed")
    }
    return 0
}

/// A server asks with a field for another signature; what is signed then counts by the key.
private func checkAskedSignature(_ field: String) {
    let secret: Secret = "a shared secret of the fuzzer"
    guard let name = HTTPField.Name("Accept-Signature"), let origin = Origin("https://a.example"),
        let key = try? MessageSigningKey.hmacSHA256(secret),
        let verificationKey = try? MessageVerificationKey.hmacSHA256(secret)
    else { return }
    let signer = BuiltInSigner.messageSignature(key, covering: [.method], acceptSignature: true)
    guard signer.scheme.wantsToSignAgain(after: Response(.unauthorized, headers: [name: field]), from: origin) else {
        return
    }
    let verifier = MessageVerifier(keys: [verificationKey], requiring: [.method])
    let counts = finish { () async -> Bool in
        var request = Request.get("https://a.example/p?q=1&r=%20")
        guard (try? await signer.sign(&request, for: origin)) != nil else { return false }
        let now = request.environment.time.date
        return (try? await verifier.verify(SignedMessage(request.head), at: now)) != nil
    }
    require(counts, "what was signed as the server asked does not count")
}
