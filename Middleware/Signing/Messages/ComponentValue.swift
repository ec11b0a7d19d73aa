import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import RawStructuredFieldValues

/// Derives component values from a message (RFC 9421 §2).
struct ComponentValue {
    let message: SignedMessage
    /// The types of structured fields that aren't registered.
    let types: [String: StructuredFieldType]

    /// Returns a component's value for the signature base.
    func callAsFunction(_ component: SignatureComponent) throws(SigningError) -> String {
        let value: String
        if component.isFromRequest {
            guard message.isResponse else { throw refused(component, "the message is not a response to a request") }
            guard let request = message.request else { throw SigningError(.missingComponent(component)) }
            value =
                try component.isDerived ? derived(component, of: request) : field(component, in: request.headerFields)
        } else if component.name == "@status" {
            guard let status = message.response?.status.code else {
                throw refused(component, "only a response has a status")
            }
            value = "\(status)"
        } else if component.isDerived {
            guard !message.isResponse, let request = message.request else {
                throw refused(component, "it belongs to a request; in a signed response, use fromRequest")
            }
            value = try derived(component, of: request)
        } else {
            value = try field(component, in: message.fields)
        }
        // §2.5: the base is ASCII, and each component is one line.
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
            throw refused(component, "its value is not ASCII; sign a field's bytes instead (binary)")
        }
        return value
    }

    private func refused(_ component: SignatureComponent, _ reason: String) -> SigningError {
        SigningError(.unsupportedComponent(component.description, reason: reason))
    }

    // MARK: Derived components, §2.2

    private func derived(_ component: SignatureComponent, of request: HTTPRequest) throws(SigningError) -> String {
        switch component.name {
        case "@method": return request.method.rawValue
        case "@target-uri":
            let url = Request(head: request).url
            return request.path?.isEmpty == false ? url : url + "/"
        case "@authority":
            guard let origin = Origin(scheme: request.scheme, authority: request.authority) else {
                throw SigningError(.missingComponent(component))
            }
            return origin.authority
        case "@scheme":
            guard let scheme = request.scheme else { throw SigningError(.missingComponent(component)) }
            return scheme.lowercased()
        case "@request-target": return request.path ?? "/"
        case "@path":
            let path = (request.path ?? "").unicodeScalars.prefix { $0 != "?" }
            return path.isEmpty ? "/" : String(path)
        case "@query": return "?" + Self.query(of: request)
        case "@query-param":
            guard
                case .name(let name) = component.parameters.first(where: { if case .name = $0 { true } else { false } })
            else { throw refused(component, "it names no parameter") }
            let values = QueryParameters.values(of: name, in: Self.query(of: request))
            guard let value = values.first else { throw SigningError(.missingComponent(component)) }
            guard values.count == 1 else {
                throw refused(component, "the parameter occurs \(values.count) times; sign the query instead")
            }
            return value
        default: throw refused(component, "the derived component is unknown")
        }
    }

    private static func query(of request: HTTPRequest) -> Substring {
        Substring((request.path ?? "").unicodeScalars.drop { $0 != "?" }.dropFirst())
    }

    // MARK: Fields, §2.1

    private func field(_ component: SignatureComponent, in fields: HTTPFields) throws(SigningError) -> String {
        guard let name = HTTPField.Name(component.name) else {
            throw refused(component, "it is not the name of a field")
        }
        let lines = fields[fields: name]
        guard !lines.isEmpty else {
            if let value = implied(component.name, fromRequest: component.isFromRequest) { return value }
            throw name.canonicalName == "content-digest"
                ? SigningError(.noContentDigest) : SigningError(.missingComponent(component))
        }
        if component.parameters.contains(.binary) { return try Self.binary(lines) }
        let joined = lines.map { $0.value.trimming() }.joined(separator: ", ")
        if case .key(let key)? = component.parameters.first(where: { if case .key = $0 { true } else { false } }) {
            return try member(key, of: joined, component)
        }
        return component.parameters.contains(.structured) ? try strict(joined, component) : joined
    }

    /// Returns the value of a field that a transport adds, and so is missing when a request is signed.
    private func implied(_ name: String, fromRequest: Bool) -> String? {
        guard let request = message.request, !message.isResponse || fromRequest else { return nil }
        switch name {
        case "host": return request.authority
        case "content-length": return fromRequest ? nil : message.contentLength.map(String.init)
        default: return nil
        }
    }

    /// Returns the lines of a field as byte sequences, §2.1.3.
    private static func binary(_ lines: [HTTPField]) throws(SigningError) -> String {
        lines.map { line in
            ":\(line.withUnsafeBytesOfValue { Data($0.trimmingSpace()) }.base64EncodedString()):"
        }.joined(separator: ", ")
    }

    /// Returns a member of a dictionary field, including its parameters, §2.1.2.
    private func member(
        _ key: String,
        of value: String,
        _ component: SignatureComponent
    ) throws(SigningError) -> String {
        guard let bytes = value.structuredFieldBytes else { throw refused(component, "the field has too many members") }
        var parser = StructuredFieldValueParser(bytes)
        guard let dictionary = try? parser.parseDictionaryFieldValue() else {
            throw refused(component, "the field is not a dictionary")
        }
        guard let member = dictionary[key] else { throw SigningError(.missingComponent(component)) }
        return try serialized([member], component)
    }

    /// Returns the strictly serialized value of a structured field, §2.1.1.
    private func strict(_ value: String, _ component: SignatureComponent) throws(SigningError) -> String {
        guard let type = types[component.name] ?? StructuredFieldType.registered[component.name] else {
            throw refused(component, "its type is unknown; declare it (structuredFields:)")
        }
        guard let bytes = value.structuredFieldBytes else { throw refused(component, "the field has too many members") }
        var parser = StructuredFieldValueParser(bytes)
        do {
            switch type {
            case .item: return try serialized([.item(parser.parseItemFieldValue())], component)
            case .list: return try serialized(parser.parseListFieldValue(), component)
            case .dictionary:
                var serializer = StructuredFieldValueSerializer()
                return String(
                    decoding: try serializer.writeDictionaryFieldValue(parser.parseDictionaryFieldValue()),
                    as: UTF8.self
                )
            }
        } catch let error as SigningError {
            throw error
        } catch {
            throw refused(component, "its value is not a structured field of that type")
        }
    }

    /// Serializes a list.
    ///
    /// A list with one member is serialized like the member.
    private func serialized(
        _ members: [ItemOrInnerList],
        _ component: SignatureComponent
    ) throws(SigningError) -> String {
        var serializer = StructuredFieldValueSerializer()
        do {
            return String(decoding: try serializer.writeListFieldValue(members), as: UTF8.self)
        } catch {
            throw refused(component, "its value is not a structured field")
        }
    }
}
