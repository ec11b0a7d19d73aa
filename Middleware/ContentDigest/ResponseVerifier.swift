import Foundation
import HTTPChainCore
import HTTPTypes

/// Selects the digests that apply to a response's content, and sets up their verification.
struct ResponseVerifier {
    let target: HTTPRequest
    let policy: DigestPolicy
    let redaction: Redaction

    func verify(_ response: inout Response) throws(ContentDigestError) {
        let declared = DeclaredDigests(response.headers)
        let hasContent = !response.head.hasNoContent(answering: target.method)
        let verifiable = hasContent ? Self.applicable(declared, to: response) : [:]
        let status = Self.status(of: response, to: target, declared, verifiable)
        response.options[DigestVerificationFact.self] = status
        // Digests are required only of successful responses, because error responses may come from an intermediary: a
        // proxy, a gateway, a load balancer.
        let isRequired = policy == .required && response.status.kind == .successful
        let head = response.head
        let exchange: @Sendable () -> ExchangeSnapshot = { [target, redaction] in
            ExchangeSnapshot(target, response: head, redaction: redaction)
        }
        switch status {
        case .verifiedWhileRead:
            response.body = response.body.transformed(length: response.body.length) {
                VerifyingReader($0, verifiable, exchange: exchange)
            }
        case .noDigest where isRequired && hasContent:
            throw ContentDigestError(problem: .noDigest, failedExchange: exchange())
        case .notVerifiable(let reason) where isRequired && reason != .noContent:
            throw ContentDigestError(problem: .notVerifiable(reason), failedExchange: exchange())
        case .notChecked, .noDigest, .notVerifiable: break
        }
    }

    /// Returns the digests that apply to the body.
    ///
    /// For a partial response, this is only `Content-Digest`. Servers don't agree on whether `Content-MD5` applies,
    /// too.
    private static func applicable(_ declared: DeclaredDigests, to response: Response) -> [DigestField: Data] {
        guard response.options[OriginalContentFieldsFact.self].isEmpty else { return [:] }
        guard response.status == .partialContent else { return declared.digests }
        return declared.digests.filter { field, _ in
            if case .contentDigest = field { true } else { false }
        }
    }

    private static func status(
        of response: Response,
        to target: HTTPRequest,
        _ declared: DeclaredDigests,
        _ verifiable: [DigestField: Data]
    ) -> DigestVerification {
        if !verifiable.isEmpty {
            return .verifiedWhileRead(verifiable.keys.sorted { $0.description < $1.description })
        }
        if !declared.digests.isEmpty {
            guard !response.head.hasNoContent(answering: target.method) else { return .notVerifiable(.noContent) }
            return .notVerifiable(
                response.options[OriginalContentFieldsFact.self].isEmpty ? .partialContent : .contentDecoded
            )
        }
        if declared.hasMalformedField { return .notVerifiable(.malformedField) }
        return declared.hasOtherAlgorithm ? .notVerifiable(.unknownAlgorithm) : .noDigest
    }
}
