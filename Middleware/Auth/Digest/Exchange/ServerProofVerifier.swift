import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Verifies a server's proof against the answer it belongs to, RFC 7616 §3.5.
struct ServerProofVerifier {
    let policy: ServerProofPolicy
    let computation: DigestComputation
    let key: DigestKey
    let request: HTTPRequest
    let redaction: Redaction

    /// Verifies the proof immediately; if the proof covers the content, verifies it as the body is read instead.
    ///
    /// - Returns: Whether the proof is already verified.
    func verify(_ response: inout Response, _ info: DigestAuthenticationInfo?) throws(AuthenticationError) -> Bool {
        guard policy != .ignored else { return false }
        guard let proof = info?.serverResponse else {
            if policy == .required { throw error("the response has no rspauth", response.head) }
            return false
        }
        // An answer without a quality of protection has no client nonce and count, so the proof can't have one either.
        let qop = computation.qop == nil ? nil : info?.qop ?? computation.qop
        if qop == .authInt, !response.hasNoContent(answering: request.method) {
            guard response.options[OriginalContentFieldsFact.self].isEmpty else {
                if policy == .required {
                    throw error("the transport has decoded the content that rspauth covers", response.head)
                }
                response.options[ServerProofFact.self] = .notVerifiable
                return false
            }
            verifyWhileRead(&response, proof)
            return false
        }
        guard Self.isEqual(computation.serverResponse(key, qop: qop), proof) else { throw wrong(response.head) }
        response.options[ServerProofFact.self] = .verified
        return true
    }

    private func verifyWhileRead(_ response: inout Response, _ proof: String) {
        let head = response.head
        response.body = response.body.transformed(length: response.body.length) { [self] reader in
            ServerProofReader(reader, DigestHash(key.algorithm)) { hash throws(AuthenticationError) in
                let expected = computation.serverResponse(key, qop: .authInt, contentHash: hash)
                guard Self.isEqual(expected, proof) else { throw wrong(head) }
            }
        }
        response.options[ServerProofFact.self] = .verifiedWhileRead
    }

    private static func isEqual(_ expected: String, _ proof: String) -> Bool {
        ConstantTime.isEqual(expected.utf8, proof.lowercased().utf8)
    }

    private func wrong(_ response: HTTPResponse) -> AuthenticationError {
        error("its rspauth is wrong (if it is known to compute it wrongly, set serverProof to .ignored)", response)
    }

    private func error(_ why: String, _ response: HTTPResponse) -> AuthenticationError {
        AuthenticationError(
            .serverNotProven(why: why),
            stage: DigestAuthenticator.stageName,
            exchange: ExchangeSnapshot(request, response: response, redaction: redaction)
        )
    }
}

/// Returns the data of another reader, and checks its hash at the end.
struct ServerProofReader: BodyReader {
    private var inner: (any BodyReader)?
    private var hash: DigestHash
    private let judge: @Sendable (String) throws(AuthenticationError) -> Void
    private var failure: (any Error)?

    init(
        _ inner: sending any BodyReader,
        _ hash: DigestHash,
        judge: @escaping @Sendable (String) throws(AuthenticationError) -> Void
    ) {
        self.inner = inner
        self.hash = hash
        self.judge = judge
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        do {
            if let chunk = try await inner?.read() {
                hash.update(chunk)
                return chunk
            }
            if inner != nil { try judge(String(decoding: hash.hex, as: UTF8.self)) }
            inner = nil
            return nil
        } catch {
            failure = error
            inner = nil
            throw error
        }
    }
}
