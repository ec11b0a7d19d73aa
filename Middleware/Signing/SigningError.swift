public import Foundation
public import HTTPChainCore

/// An error thrown if a request can't be signed, or if a signature isn't valid.
public struct SigningError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The message lacks this component, which the signature covers.
        case missingComponent(SignatureComponent)
        /// The signature covers the content, but the message has no `Content-Digest`.
        case noContentDigest
        /// The component can't be signed.
        ///
        /// Contains its serialized form and the reason.
        case unsupportedComponent(String, reason: String)
        /// The request already has a signature with this label.
        case labelInUse(String)
        /// The body can be read only once, and signing would consume it.
        case bodyReadableOnce
        /// The key isn't valid for its algorithm.
        case invalidKey(String)
        /// The shared secret has only this number of bytes, so that it could be guessed.
        case keyTooShort(bytes: Int)
        /// The key failed to sign; see the `underlyingError`.
        case keyFailed
        /// There are no credentials for signing; see the `underlyingError`.
        case noCredentials
        /// The credentials expired at this time.
        case credentialsExpired(Date)
        /// A webhook has no identifier.
        case noWebhookID
        /// The scheme can't sign the request's target.
        case unsupportedTarget(String)
        /// The scheme can't honor a setting.
        case unsupportedSetting(String, reason: String)
        /// A signature field is malformed.
        case malformedField(String, reason: String)
        /// A signature is required, but the message has no valid one.
        case unsigned
        /// The key with this identifier is unknown.
        case unknownKey(String?)
        /// The signature declares an algorithm other than its key's.
        case algorithmMismatch(declared: String, key: String)
        /// The signature doesn't match the message and the key.
        case wrongSignature
        /// The signature doesn't cover these required components.
        case notCovered([SignatureComponent])
        /// The signature lacks a required parameter or field.
        case missingParameter(String)
        /// The signature's creation time is in the future, by this duration.
        case createdInFuture(by: Duration)
        /// The signature is too old, with this age.
        case tooOld(age: Duration)
        /// The signature expired at this time.
        case expired(Date)
        /// The nonce has been used before, so the message may have been replayed.
        case replayed(nonce: String)
        /// The memory for nonces has reached this limit.
        case tooManyNonces(limit: Int)
    }

    /// The problem.
    public let problem: Problem
    package let failedExchange: ExchangeSnapshot?
    package let cause: (any Error)?

    package init(_ problem: Problem, exchange: ExchangeSnapshot? = nil, cause: (any Error)? = nil) {
        self.problem = problem
        failedExchange = exchange
        self.cause = cause
    }

    /// Returns the same error with an exchange.
    func about(_ exchange: @autoclosure () -> ExchangeSnapshot) -> SigningError {
        self.exchange == nil ? SigningError(problem, exchange: exchange(), cause: underlyingError) : self
    }

    package var failedStage: String { "SigningMiddleware" }

    package var explanation: Explanation {
        switch problem {
        case .missingComponent(let component):
            Explanation(
                "the message has no \(component), which the signature covers",
                "set it in a stage outside SigningMiddleware, or cover it only when it is there (whenPresent:)"
            )
        case .noContentDigest:
            Explanation(
                "the signature covers the content, and the message has no Content-Digest of it",
                "put a ContentDigestMiddleware outside SigningMiddleware, or set the field"
            )
        case .unsupportedComponent(let identifier, let reason):
            Explanation("the component \(identifier) cannot be signed: \(reason)")
        case .labelInUse(let label):
            Explanation(
                "the request has a signature with the label \(label) already",
                "sign it with another label, or remove that signature"
            )
        case .bodyReadableOnce:
            Explanation(
                "the body can be read only once, so that no signature of it can be sent before it",
                "send a body that can be read again, or leave the content out of the signature"
            )
        case .invalidKey(let what): Explanation("the key is not \(what)", "check how the key is encoded")
        case .keyTooShort(let bytes):
            Explanation(
                "the key has \(bytes) bytes, and a shared secret of less than 16 can be found by trying",
                "agree upon one of 32 random bytes"
            )
        case .keyFailed: Explanation("the key failed to sign")
        case .noCredentials: Explanation("there are no credentials to sign with")
        case .credentialsExpired(let date):
            Explanation(
                "the credentials to sign with expired at \(HTTPDate(date))",
                "have the provider return credentials that are valid"
            )
        case .noWebhookID:
            Explanation(
                "a webhook needs an identifier that stays the same when it is sent again",
                "give the request one with signing(webhookID:)"
            )
        case .unsupportedTarget(let reason): Explanation("the request's target cannot be signed: \(reason)")
        case .unsupportedSetting(let setting, let reason):
            Explanation("\(setting) is not possible: \(reason)", "change or remove the setting")
        case .malformedField(let name, let reason): Explanation("the field \(name) is malformed: \(reason)")
        case .unsigned:
            Explanation(
                "a signature is required, and the message has none that counts",
                "ask the server to sign (asks: true), or accept messages without signature (acceptsUnsigned: true)"
            )
        case .unknownKey(let id):
            Explanation("no key is known under the identifier \(id ?? "that the signature does not name")")
        case .algorithmMismatch(let declared, let key):
            Explanation("the signature declares the algorithm \(declared), and its key is for \(key)")
        case .wrongSignature:
            Explanation(
                "the signature is not one of this message by the key: it was changed on the way, or signed by somebody "
                    + "else"
            )
        case .notCovered(let components):
            Explanation("the signature does not cover \(components.map(\.description).joined(separator: ", "))")
        case .missingParameter(let name): Explanation("the signature has no \(name), which is required")
        case .createdInFuture(let duration):
            Explanation("the signature was made \(duration) later than now", "set the clock of the machine right")
        case .tooOld(let age): Explanation("the signature is \(age) old, more than is accepted")
        case .expired(let date): Explanation("the signature expired at \(HTTPDate(date))")
        case .replayed: Explanation("the nonce of the signature was seen before: somebody sends the message again")
        case .tooManyNonces(let limit):
            Explanation(
                "\(limit) nonces are remembered, and none of them has run out",
                "remember more nonces, or accept signatures for a shorter time"
            )
        }
    }
}
