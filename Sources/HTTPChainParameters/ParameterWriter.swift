import Foundation
import HTTPChainSupport

/// Writes the pairs of a query or a form.
package struct ParameterWriter {
    private let encoder: ParameterEncoder
    private let spacesArePluses: Bool
    /// The name of the current value, percent-encoded.
    private var name: [UInt8] = []
    /// The names written so far, if later members of a list must differ from earlier ones.
    private var names: [[UInt8]] = []
    /// The text written so far, percent-encoded.
    package private(set) var output: [UInt8] = []

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - encoder: The encoder's settings.
    ///   - isForm: Whether to write a form rather than a query.
    package init(_ encoder: ParameterEncoder, isForm: Bool = false) {
        self.encoder = encoder
        spacesArePluses = encoder.spaces == .plus || (encoder.spaces == .automatic && isForm)
    }

    /// Appends the pairs of a value with keys at its top level; appends nothing for nil.
    package mutating func append(contentsOf value: any Encodable) throws {
        switch try ParameterValue(encoding: value) {
        case .members(let members, let areData):
            for member in members {
                try append(member.value, named: areData ? member.name : encoder.keys.styled(member.name))
            }
        case .null: break
        default: throw fault(value, "it has no keys; a query or form needs a value with keys at its top level")
        }
    }

    /// Appends a pair; its name isn't changed.
    package mutating func append(_ value: ParameterValue, named name: String) throws {
        self.name.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
        escape(name, into: &self.name, keepingBrackets: encoder.keepsBrackets)
        try append(value)
    }

    /// Appends bytes that are already encoded; does nothing if they are empty.
    package mutating func append(encoded bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return }
        beginPair()
        output += bytes
    }

    private mutating func append(_ value: ParameterValue) throws {
        switch value {
        case .null:
            if encoder.nils == .empty { appendPair("") }
        case .list(let members):
            try append(list: members)
        case .members(let members, let areData):
            for member in members {
                let mark = name.count
                let key = areData ? member.name : encoder.keys.styled(member.name)
                if encoder.nesting == .dots {
                    name.append(UInt8(ascii: "."))
                    escape(key, into: &name)
                } else {
                    nest(key)
                }
                try append(member.value)
                name.removeSubrange(mark...)
            }
        default:
            appendPair(try text(value))
        }
    }

    private mutating func append(list members: [ParameterValue]) throws {
        let isComposite = members.contains(where: \.isComposite)
        switch encoder.arrays {
        case .commas where !isComposite: return try append(members, separator: UInt8(ascii: ","))
        case .pipes where !isComposite: return try append(members, separator: UInt8(ascii: "|"))
        case .repeated where !isComposite:
            for member in members { try append(member) }
        case .rack where isComposite: try append(toRack: members)
        default:
            let isNumbered = encoder.arrays == .indexed || isComposite
            for (index, member) in members.enumerated() {
                let mark = name.count
                nest(isNumbered ? String(index) : "")
                try append(member)
                name.removeSubrange(mark...)
            }
        }
    }

    /// Appends members that Rack can distinguish only by their names: a keyed member ends when its first name occurs
    /// again.
    private mutating func append(toRack members: [ParameterValue]) throws {
        // The names of the last member, if it is keyed.
        var last: ArraySlice<[UInt8]> = []
        for member in members {
            let mark = name.count
            nest("")
            let start = name.count
            let first = names.count
            if case .list(let elements) = member {
                // Each name with two pairs of empty brackets is a list of a single value.
                let written = elements.filter { encoder.nils == .empty || !$0.isNull }
                guard written.count <= 1, !written.contains(where: \.isComposite) else {
                    throw fault(member, "Rack can't read a list of lists; use arrays: .indexed")
                }
            }
            try append(member)
            name.removeSubrange(mark...)
            let own = names[first...]
            guard let name = own.first else { continue }
            if case .members = member {
                guard last.isEmpty || begins(name[start...], after: last.map { $0[start...] }) else {
                    throw fault(
                        member,
                        "Rack would add it to the member before it, which has no value for its first key; use arrays: .indexed"
                    )
                }
                last = own
            } else {
                last = []
            }
        }
    }

    /// Whether a name begins a new member of a list, because the last member already has a value of that name outside a
    /// list.
    private func begins(_ name: ArraySlice<UInt8>, after last: [ArraySlice<UInt8>]) -> Bool {
        let (open, close) = encoder.keepsBrackets ? ("[", "]") : ("%5B", "%5D")
        let text = String(decoding: name, as: UTF8.self)
        guard !text.includes(open + close) else { return false }
        return last.contains { other in
            let other = String(decoding: other, as: UTF8.self)
            return other.hasSameBytes(as: text) || other.begins(with: text + open)
        }
    }

    private mutating func append(_ members: [ParameterValue], separator: UInt8) throws {
        let written = members.filter { encoder.nils == .empty || !$0.isNull }
        guard !written.isEmpty else { return }
        beginPair()
        output += name
        for (index, member) in written.enumerated() {
            if index == 0 {
                output.append(UInt8(ascii: "="))
            } else if separator == UInt8(ascii: ",") {
                output.append(separator)
            } else {
                output.append(percentEncoding: separator)
            }
            guard !member.isNull else { continue }
            let text = try text(member)
            if separator == UInt8(ascii: "|"), text.utf8.contains(separator) {
                throw fault(text, "it contains a pipe, which separates the values of a list")
            }
            escape(text, into: &output)
        }
    }

    private mutating func appendPair(_ text: String) {
        beginPair()
        output += name
        if encoder.arrays == .rack { names.append(name) }
        output.append(UInt8(ascii: "="))
        escape(text, into: &output)
    }

    private mutating func beginPair() {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
    }

    private func text(_ value: ParameterValue) throws -> String {
        if let text = encoder.text(of: value) { return text }
        throw fault(value, "it is not a finite number or date")
    }

    private func fault(_ value: Any, _ reason: String) -> EncodingError {
        let path = String(decoding: name, as: UTF8.self)
        let keys = path.isEmpty ? [] : [ParameterKey(stringValue: path.removingPercentEncoding ?? path)]
        return .invalidValue(value, EncodingError.Context(codingPath: keys, debugDescription: reason))
    }

    // MARK: Bytes

    private mutating func nest(_ key: String) {
        escape("[", into: &name, keepingBrackets: encoder.keepsBrackets)
        escape(key, into: &name)
        escape("]", into: &name, keepingBrackets: encoder.keepsBrackets)
    }

    /// Percent-encodes all characters except the unreserved ones of RFC 3986 §2.3, or of WHATWG URL §5.2 if spaces
    /// become pluses.
    private func escape(_ text: String, into bytes: inout [UInt8], keepingBrackets: Bool = false) {
        for byte in text.utf8 {
            switch byte {
            case _ where ASCII.isAlphanumeric(byte), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                bytes.append(byte)
            case UInt8(ascii: "~") where !spacesArePluses, UInt8(ascii: "*") where spacesArePluses: bytes.append(byte)
            case UInt8(ascii: " ") where spacesArePluses: bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "[") where keepingBrackets, UInt8(ascii: "]") where keepingBrackets: bytes.append(byte)
            default: bytes.append(percentEncoding: byte)
            }
        }
    }
}
