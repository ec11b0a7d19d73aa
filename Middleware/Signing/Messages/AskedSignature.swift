import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import RawStructuredFieldValues

/// The signature that a server requests with `Accept-Signature` (RFC 9421 §5.1).
struct AskedSignature: Hashable {
    let label: String
    let components: [SignatureComponent]
    let hasNonce: Bool
    /// The server's nonce, which is valid for one request.
    var nonce: String?
    let expires: Bool
    let namesAlgorithm: Bool
    let tag: String?

    /// Finds the first requested signature that the key can make for the application of the tag.
    ///
    /// Returns `nil` if there is none.
    ///
    /// A malformed field is ignored, as in RFC 9651 §4.2.
    init?(_ fields: HTTPFields, for key: MessageSigningKey, tag: String?) {
        guard let dictionary = try? SignatureFields.dictionary(.acceptSignature, in: fields) else { return nil }
        for (label, member) in dictionary {
            guard case .innerList(let list) = member,
                let asked = AskedSignature(label, list, for: key),
                tag == nil || asked.tag == nil || asked.tag == tag
            else { continue }
            self = asked
            return
        }
        return nil
    }

    private init?(_ label: String, _ list: InnerList, for key: MessageSigningKey) {
        guard list.bareInnerList.count <= SignatureLimits.components else { return nil }
        var components: [SignatureComponent] = []
        for item in list.bareInnerList {
            guard let component = try? SignatureComponent(item), !component.isFromRequest, component != .status else {
                return nil
            }
            if !components.contains(component) { components.append(component) }
        }
        let parameters = list.rfc9651Parameters
        func text(_ name: String) -> String? { if case .string(let text)? = parameters[name] { text } else { nil } }
        if let algorithm = text("alg"), algorithm != key.algorithm.rawValue { return nil }
        if let id = text("keyid"), id != key.id { return nil }
        self.label = label
        self.components = components
        hasNonce = parameters["nonce"] != nil
        nonce = text("nonce").flatMap { $0.isEmpty ? nil : $0 }
        expires = parameters["expires"] != nil
        namesAlgorithm = parameters["alg"] != nil
        tag = text("tag")
    }
}

/// The signatures that servers have requested.
final class AskedSignatures: Sendable {
    /// The maximum number of origins.
    ///
    /// It is limited because a server can make a client connect to any number of them.
    private static let capacity = 1024

    private let signatures = Locked<[Origin: AskedSignature]>([:])

    func signature(for origin: Origin) -> AskedSignature? {
        signatures.withLock { signatures in
            guard !signatures.isEmpty, let signature = signatures[origin] else { return nil }
            signatures[origin]?.nonce = nil
            return signature
        }
    }

    /// - Returns: Whether the signature requested by the server is new.
    func note(_ fields: HTTPFields, from origin: Origin, for key: MessageSigningKey, tag: String?) -> Bool {
        guard let asked = AskedSignature(fields, for: key, tag: tag) else { return false }
        return signatures.withLock { signatures in
            guard signatures[origin] != asked, signatures[origin] != nil || signatures.count < Self.capacity else {
                return false
            }
            signatures[origin] = asked
            return true
        }
    }
}
