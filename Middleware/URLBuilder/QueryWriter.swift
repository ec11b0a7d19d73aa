import Foundation

/// Writes the pairs of a query one after the other.
struct QueryWriter {
    let encoder: QueryEncoder
    var output: [UInt8] = []

    mutating func append(_ parameters: URLParameters) throws(URLBuilderError) {
        for element in parameters.elements { try append(element) }
    }

    mutating func append(_ element: URLParameters.Element) throws(URLBuilderError) {
        var name: [UInt8] = []
        name.append(percentEncoding: encoder.styled(element.name), allowed: .unreserved)
        try append(element.value, named: name)
    }

    mutating func append(raw text: String) {
        guard !text.isEmpty else { return }
        beginPair()
        let start = output.count
        output.append(percentEncoding: text, allowed: .reserved, keepingTriplets: true)
        // A fragment would cut off what follows.
        for index in output.indices[start...].reversed() where output[index] == .hash {
            output.replaceSubrange(index...index, with: "%23".utf8)
        }
    }

    private mutating func append(_ value: URLValue, named name: [UInt8]) throws(URLBuilderError) {
        switch value {
        case .null:
            if encoder.nils == .empty { appendPair(name, "") }
        case .array(let members):
            try append(list: members, named: name)
        case .dictionary(let parameters):
            for element in parameters.elements {
                try append(element.value, named: name + suffix(encoder.styled(element.name)))
            }
        default:
            appendPair(name, try text(value, named: name))
        }
    }

    private mutating func append(list members: [URLValue], named name: [UInt8]) throws(URLBuilderError) {
        var style = encoder.arrays
        if style == .commas {
            guard members.contains(where: \.isComposite) else {
                return try appendCommas(members, named: name)
            }
            style = .indexed
        }
        for (index, member) in members.enumerated() {
            switch style {
            case .repeated, .commas: try append(member, named: name)
            case .brackets: try append(member, named: name + brackets(""))
            case .indexed: try append(member, named: name + brackets(String(index)))
            }
        }
    }

    private mutating func appendCommas(_ members: [URLValue], named name: [UInt8]) throws(URLBuilderError) {
        let written = members.filter { encoder.nils == .empty || $0 != .null }
        guard !written.isEmpty else { return }
        beginPair()
        output += name
        for (index, member) in written.enumerated() {
            output.append(index == 0 ? .equals : .comma)
            guard member != .null else { continue }
            output.append(percentEncoding: try text(member, named: name), allowed: .unreserved)
        }
    }

    private mutating func appendPair(_ name: [UInt8], _ text: String) {
        beginPair()
        output += name
        output.append(.equals)
        output.append(percentEncoding: text, allowed: .unreserved)
    }

    private mutating func beginPair() {
        if !output.isEmpty { output.append(.ampersand) }
    }

    private func text(_ value: URLValue, named name: [UInt8]) throws(URLBuilderError) -> String {
        if let text = encoder.format.text(value) { return text }
        let path = String(decoding: name, as: UTF8.self)
        throw URLBuilderError(
            .unencodableQuery(
                path: path.removingPercentEncoding ?? path,
                reason: "it is not a finite number or date"
            )
        )
    }

    private func suffix(_ key: String) -> [UInt8] {
        guard encoder.nesting == .dots else { return brackets(key) }
        var result: [UInt8] = [.dot]
        result.append(percentEncoding: key, allowed: .unreserved)
        return result
    }

    private func brackets(_ key: String) -> [UInt8] {
        var result = Array((encoder.keepsBrackets ? "[" : "%5B").utf8)
        result.append(percentEncoding: key, allowed: .unreserved)
        result += (encoder.keepsBrackets ? "]" : "%5D").utf8
        return result
    }
}

extension URLValue {
    fileprivate var isComposite: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }
}
