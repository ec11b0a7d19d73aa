import Foundation
import HTTPChainSupport
package import HTTPTypes
import RawStructuredFieldValues

extension HTTPField.Name {
    package static let signature = Self(constant: "Signature")
    package static let signatureInput = Self(constant: "Signature-Input")
    static let acceptSignature = Self(constant: "Accept-Signature")
}

/// A signature of a message, parsed from its fields.
struct ReceivedSignature {
    let label: String
    let parameters: SignatureParameters
    /// The parameters as received, serialized strictly.
    let text: String
    let signature: Data
}

/// Parses the signature fields (RFC 9421 §4).
enum SignatureFields {
    /// Returns a message's signatures, in the order of `Signature-Input`.
    ///
    /// A malformed signature doesn't affect the others.
    static func parse(_ fields: HTTPFields) throws(SigningError) -> [Result<ReceivedSignature, SigningError>] {
        let inputs = try dictionary(.signatureInput, in: fields)
        let signatures = try dictionary(.signature, in: fields)
        return inputs.map { label, member in
            Result { () throws(SigningError) in try signature(label, member, signatures[label]) }
        }
    }

    private static func signature(
        _ label: String,
        _ input: ItemOrInnerList,
        _ signature: ItemOrInnerList?
    ) throws(SigningError) -> ReceivedSignature {
        guard case .innerList(let list) = input else {
            throw malformed(.signatureInput, "\(label) is not an inner list")
        }
        guard case .item(let item)? = signature, case .undecodedByteSequence(let text) = item.rfc9651BareItem,
            let bytes = Data(structured: text)
        else { throw malformed(.signature, "it has no byte sequence for \(label)") }
        return ReceivedSignature(
            label: label,
            parameters: try SignatureParameters(list),
            text: try list.text(),
            signature: bytes
        )
    }

    /// Returns the labels of existing signatures.
    static func labels(in fields: HTTPFields) throws(SigningError) -> Set<String> {
        guard fields.contains(.signatureInput) || fields.contains(.signature) else { return [] }
        let inputs = try dictionary(.signatureInput, in: fields)
        return Set(inputs.map(\.0)).union(try dictionary(.signature, in: fields).map(\.0))
    }

    /// Returns a dictionary with a member for each signature, or an empty one if the field is missing.
    static func dictionary(
        _ name: HTTPField.Name,
        in fields: HTTPFields
    ) throws(SigningError) -> OrderedMap<String, ItemOrInnerList> {
        guard let value = fields[name] else { return [:] }
        guard value.utf8.count <= SignatureLimits.fieldLength else {
            throw malformed(name, "it is longer than \(SignatureLimits.fieldLength) bytes")
        }
        guard let bytes = value.structuredFieldBytes else { throw malformed(name, "it has too many members") }
        var parser = StructuredFieldValueParser(bytes)
        guard let dictionary = try? parser.parseDictionaryFieldValue() else {
            throw malformed(name, "it is not a dictionary")
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
    /// Decodes a byte sequence.
    ///
    /// Its padding is optional (RFC 9651 §4.2.7).
    init?(structured text: String) {
        self.init(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
