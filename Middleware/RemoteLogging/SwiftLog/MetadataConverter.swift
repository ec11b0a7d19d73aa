import HTTPChainCore
import Logging

/// Converts swift-log metadata to attributes, with secrets redacted.
struct MetadataConverter {
    let settings: RemoteLogSettings

    /// Adds metadata to attributes.
    ///
    /// It replaces values of the same name.
    func add(_ metadata: Logger.Metadata, to attributes: inout LogAttributes) {
        attributes.reserveCapacity(attributes.list.count + metadata.count)
        let isFresh = attributes.list.isEmpty
        // The metadata is sorted, because a dictionary has no stable order.
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let value = self.value(value, under: name, depth: 0)
            if isFresh { attributes.append(name, value) } else { attributes[name] = value }
        }
    }

    private func value(_ value: Logger.MetadataValue, under name: String, depth: Int) -> JSONValue {
        if let redaction = settings.redaction, redaction.isSecret(name: name) { return .string(Redaction.placeholder) }
        return self.value(value, depth: depth)
    }

    private func value(_ value: Logger.MetadataValue, depth: Int) -> JSONValue {
        guard depth <= LogAttributes.deepest else { return .string(LogAttributes.elision) }
        switch value {
        case .string(let text): return .string(settings.shown(text))
        case .stringConvertible(let value): return number(value) ?? .string(settings.shown(value.description))
        case .array(let elements): return .array(elements.map { self.value($0, depth: depth + 1) })
        case .dictionary(let members):
            let pairs = members.map { ($0, self.value($1, under: $0, depth: depth + 1)) }
            return .object(Dictionary(uniqueKeysWithValues: pairs))
        }
    }

    /// Converts a value whose type is a number or a Boolean, and returns `nil` for others.
    private func number(_ value: any CustomStringConvertible & Sendable) -> JSONValue? {
        switch value {
        case let value as Int: .integer(Int64(value))
        case let value as Bool: .bool(value)
        case let value as Double: .number(value)
        case let value as any BinaryInteger: Int64(exactly: value).map { .integer($0) }
        case let value as Float: .number(Double(value))
        default: nil
        }
    }
}
