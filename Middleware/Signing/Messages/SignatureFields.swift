import Foundation
import HTTPChainSupport
import HTTPTypes
import RawStructuredFieldValues

extension HTTPField.Name {
    static let signature = Self(constant: "Signature")
    static let signatureInput = Self(constant: "Signature-Input")
    static let acceptSignature = Self(constant: "Accept-Signature")
}

/// One signature of a message, as its fields have it.
struct ReceivedSignature {
    let label: String
    let parameters: SignatureParameters
    /// The parameters as they were written, serialized strictly.
    let text: String
    let signature: Data
}

/// The fields that carry signatures (RFC 9421 §4).
enum SignatureFields {
    /// The signatures of a message, in the order of `Signature-Input`; one that is malformed leaves the others as they
    /// are.
    static func parse(_ fields: HTTPFields) throws(SigningError) -> [Result<ReceivedSignature, SigningError>] {
        let inputs = try dictionary(.signatureInput, in: fields)
        let signatures = try dictionary(.signature, in: fields)
        var result: [Result<ReceivedSignature, SigningError>] = []
        for (label, member) in inputs {
            result.append(Result { () throws(SigningError) in try signature(label, member, signatures[label]) })
        }
        return result
    }

    private static func signature(
        _ label: String,
        _ input: ItemOrInnerList,
        _ signature: ItemOrInnerList?
    ) throws(SigningError) -> ReceivedSignature {
        guard case .innerList(let list) = input else {
            throw malformed(.signatureInput, "\(label) is no inner list")
        }
        guard case .item(let item)? = signature, case .undecodedByteSequence(let text) = item.rfc9651BareItem,
            let bytes = Data(structured: text)
        else { throw malformed(.signature, "it has no bytes for \(label)") }
        return ReceivedSignature(
            label: label,
            parameters: try SignatureParameters(list),
            text: try list.text(),
            signature: bytes
        )
    }

    /// The labels of the signatures that are there.
    static func labels(in fields: HTTPFields) throws(SigningError) -> Set<String> {
        guard fields.contains(.signatureInput) || fields.contains(.signature) else { return [] }
        var labels: Set<String> = []
        for (label, _) in try dictionary(.signatureInput, in: fields) { labels.insert(label) }
        for (label, _) in try dictionary(.signature, in: fields) { labels.insert(label) }
        return labels
    }

    /// A dictionary with a member for each signature; empty where there is no such field.
    static func dictionary(
        _ name: HTTPField.Name,
        in fields: HTTPFields
    ) throws(SigningError) -> OrderedMap<String, ItemOrInnerList> {
        guard let value = fields[name] else { return [:] }
        guard value.utf8.count <= SignatureLimits.fieldLength else {
            throw malformed(name, "it is longer than \(SignatureLimits.fieldLength) bytes")
        }
        var parser = StructuredFieldValueParser(Array(value.utf8))
        guard let dictionary = try? parser.parseDictionaryFieldValue() else {
            throw malformed(name, "it is no dictionary")
        }
        guard dictionary.count <= SignatureLimits.signatures else {
            throw malformed(name, "it has more than \(SignatureLimits.signatures) members")
        }
        return dictionary
    }

    static func malformed(_ name: HTTPField.Name, _ reason: String) -> SigningError {
        SigningError(.malformedField(name.rawName, reason: reason))
    }
}

extension Data {
    /// The bytes of a byte sequence, whose padding RFC 9651 §4.2.7 does not insist on.
    init?(structured text: String) {
        self.init(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
