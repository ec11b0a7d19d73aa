package import Foundation
import RawStructuredFieldValues

/// The components and parameters of a signature, as in a member of `Signature-Input` (RFC 9421 §2.3).
package struct SignatureParameters: Sendable, Hashable {
    /// The components, in signing order.
    package var components: [SignatureComponent]
    /// The creation time, to the second.
    package var created: Date?
    /// The expiration time, to the second.
    package var expires: Date?
    /// A unique text, to detect replays.
    package var nonce: String?
    /// The algorithm, if the signature declares it.
    package var algorithm: SignatureAlgorithm?
    /// The key's identifier.
    package var keyID: String?
    /// The name of the application that the signature is for.
    package var tag: String?

    /// Makes parameters that have only components.
    package init(_ components: [SignatureComponent]) {
        self.components = components
    }
}

extension SignatureParameters {
    /// Returns the value of `@signature-params`: the components as an inner list with parameters (§2.3).
    func innerList() -> InnerList {
        var items = BareInnerList()
        for component in components { items.append(component.item) }
        var map = OrderedMap<String, RFC9651BareItem>()
        map["created"] = created.map { .integer(Self.seconds($0)) }
        map["expires"] = expires.map { .integer(Self.seconds($0)) }
        map["keyid"] = keyID.map { .string($0) }
        map["alg"] = algorithm.map { .string($0.rawValue) }
        map["nonce"] = nonce.map { .string($0) }
        map["tag"] = tag.map { .string($0) }
        return InnerList(bareInnerList: items, parameters: map)
    }

    /// Parses a member of `Signature-Input`.
    init(_ list: InnerList) throws(SigningError) {
        func malformed(_ reason: String) -> SigningError {
            SigningError(.malformedField("Signature-Input", reason: reason))
        }
        guard list.bareInnerList.count <= SignatureLimits.components else {
            throw malformed("a signature covers more than \(SignatureLimits.components) components")
        }
        var components: [SignatureComponent] = []
        for item in list.bareInnerList { components.append(try SignatureComponent(item)) }
        // §2.5: a component must not occur twice.
        guard Set(components).count == components.count else { throw malformed("a component occurs twice") }
        self.init(components)
        for (key, value) in list.rfc9651Parameters {
            switch (key, value) {
            case ("created", .integer(let seconds)): created = Date(timeIntervalSince1970: Double(seconds))
            case ("expires", .integer(let seconds)): expires = Date(timeIntervalSince1970: Double(seconds))
            case ("nonce", .string(let text)): nonce = text
            case ("alg", .string(let text)): algorithm = SignatureAlgorithm(rawValue: text)
            case ("keyid", .string(let text)): keyID = text
            case ("tag", .string(let text)): tag = text
            case ("created", _), ("expires", _), ("nonce", _), ("alg", _), ("keyid", _), ("tag", _):
                throw malformed("the parameter \(key) has another type")
            default: break  // §2.3: other parameters stay in the base, and have no meaning here.
            }
        }
    }

    /// Returns a date in seconds, clamped to the range of structured fields.
    private static func seconds(_ date: Date) -> Int64 {
        let limit = 999_999_999_999_999.0
        return Int64(min(max(date.timeIntervalSince1970.rounded(.down), -limit), limit))
    }
}

extension InnerList {
    /// Returns the list with its parameters, serialized strictly.
    func text() throws(SigningError) -> String {
        do {
            var serializer = StructuredFieldValueSerializer()
            return String(decoding: try serializer.writeListFieldValue([.innerList(self)]), as: UTF8.self)
        } catch {
            throw SigningError(
                .malformedField("Signature-Input", reason: "a parameter of a signature is not plain ASCII text")
            )
        }
    }
}

/// The limits when parsing a message.
enum SignatureLimits {
    /// The maximum size of `Signature-Input`, `Signature` or `Accept-Signature`, in bytes.
    static let fieldLength = 16_384
    /// The maximum number of signatures in a message.
    static let signatures = 16
    /// The maximum number of components in a signature.
    static let components = 64
}
