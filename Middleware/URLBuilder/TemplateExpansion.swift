import HTTPChainCore
import HTTPChainSupport

/// Expands a template (RFC 6570 §3.2.1).
struct TemplateExpansion {
    /// The rules for values, in addition to RFC 6570.
    enum Rules {
        /// No additional rules: undefined variables are removed, and any value is encoded.
        case rfc6570
        /// The rules for requests: path variables must have values, and no value may contain a host, a dot segment or a
        /// control character.
        case request
    }

    /// The part of the output that a variable contributed.
    ///
    /// It is used to find the variable that caused an error.
    struct Contribution {
        var name: String
        var range: Range<Int>
    }

    let lookup: VariableLookup
    let encoder: ParameterEncoder
    let rules: Rules
    var output: [UInt8] = []
    /// Recorded only on request, because only errors use them.
    var contributions: [Contribution]?

    mutating func append(_ parts: some Sequence<TemplatePart>) throws(URLBuilderError) {
        for part in parts {
            switch part {
            case .literal(let bytes):
                Steps.take(bytes.count)
                output += bytes
            case .expression(let expression): try append(expression)
            }
        }
    }

    private mutating func append(_ expression: TemplateExpression) throws(URLBuilderError) {
        let operation = expression.operation
        var isFirst = true
        for variable in expression.variables {
            Steps.take(lookup.count)
            let start = output.count
            guard let value = try definedValue(of: variable, in: expression) else { continue }
            if isFirst {
                if let first = operation.first { output.append(first) }
            } else {
                output.append(operation.separator)
            }
            isFirst = false
            switch value {
            case .array(let members): try append(list: members, of: variable, operation)
            case .dictionary(let pairs): try append(map: pairs, of: variable, operation)
            default: try append(scalar: value, of: variable, expression)
            }
            contributions?.append(Contribution(name: variable.name, range: start..<output.count))
        }
    }

    /// Returns the value, or `nil` if it is undefined: missing, null, or empty (RFC 6570 §2.3, §3.2.1).
    private func definedValue(
        of variable: VariableSpecification,
        in expression: TemplateExpression
    ) throws(URLBuilderError) -> URLValue? {
        let value = lookup.value(of: variable.name)
        let isDefined: Bool
        switch value {
        case nil, .null: isDefined = false
        case .array(let members):
            try refusePrefix(of: variable)
            isDefined = members.contains { $0 != .null }
        case .dictionary(let pairs):
            try refusePrefix(of: variable)
            isDefined = pairs.elements.contains { $0.value != .null }
        default: isDefined = true
        }
        if isDefined { return value }
        if rules == .request, expression.operation.isRequired {
            throw URLBuilderError(.missingVariable(variable.name))
        }
        return nil
    }

    /// Refuses a prefix modifier, which isn't applicable to composite values (RFC 6570 §2.4.1).
    private func refusePrefix(of variable: VariableSpecification) throws(URLBuilderError) {
        guard variable.prefix != nil else { return }
        throw unusable(variable, "a prefix (:\(variable.prefix ?? 0)) cannot be applied to a list or map")
    }

    // MARK: Values

    private mutating func append(
        scalar value: URLValue,
        of variable: VariableSpecification,
        _ expression: TemplateExpression
    ) throws(URLBuilderError) {
        let operation = expression.operation
        var text = try text(of: value, variable, operation)
        if text.isEmpty {
            if rules == .request, expression.isWholeSegment, expression.variables.count == 1 {
                throw URLBuilderError(.emptyVariable(variable.name))
            }
            if operation.isNamed { appendName(variable.name, isEmpty: true, operation) }
            return
        }
        if let prefix = variable.prefix {
            text = Self.prefix(prefix, of: text, keepsTriplets: operation.allowsReserved && !value.isOpaque)
        }
        if operation.isNamed { appendName(variable.name, isEmpty: false, operation) }
        encode(text, value, operation)
    }

    /// Returns the first characters of a value, RFC 6570 §2.4.1.
    ///
    /// These are characters rather than octets, "to avoid splitting between the octets of a multi-octet-encoded
    /// character or within a pct-encoded triplet".
    ///
    /// If the value's triplets are kept, those that encode a single UTF-8 character count as one. Others count
    /// separately.
    private static func prefix(_ count: Int, of text: String, keepsTriplets: Bool) -> String {
        guard keepsTriplets, text.utf8.contains(.percent) else { return String(text.unicodeScalars.prefix(count)) }
        let bytes = Array(text.utf8)
        var end = 0
        for _ in 0..<count where end < bytes.count { end = endOfCharacter(at: end, in: bytes) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private static func endOfCharacter(at index: Int, in bytes: [UInt8]) -> Int {
        guard let first = bytes.percentEncodedByte(at: index) else {
            return bytes[(index + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? bytes.count
        }
        let width = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        let encoded = (0..<width).compactMap { bytes.percentEncodedByte(at: index + 3 * $0) }
        // If the triplets don't encode a UTF-8 character, each of them counts separately.
        let isCharacter = encoded.count == width && String(validUTF8: encoded) != nil
        return index + 3 * (isCharacter ? width : 1)
    }

    private mutating func append(
        list members: [URLValue],
        of variable: VariableSpecification,
        _ operation: TemplateOperator
    ) throws(URLBuilderError) {
        let isNamed = operation.isNamed
        if isNamed, !variable.isExploded {
            appendName(variable.name, isEmpty: false, operation)
        }
        var isFirst = true
        for member in members where member != .null {
            let text = try text(of: member, variable, operation)
            if !isFirst { output.append(variable.isExploded ? operation.separator : .comma) }
            isFirst = false
            if isNamed, variable.isExploded { appendName(variable.name, isEmpty: text.isEmpty, operation) }
            encode(text, member, operation)
        }
    }

    private mutating func append(
        map pairs: URLParameters,
        of variable: VariableSpecification,
        _ operation: TemplateOperator
    ) throws(URLBuilderError) {
        if operation.isNamed, !variable.isExploded {
            appendName(variable.name, isEmpty: false, operation)
        }
        var isFirst = true
        for pair in pairs.elements where pair.value != .null {
            let text = try text(of: pair.value, variable, operation)
            if !isFirst { output.append(variable.isExploded ? operation.separator : .comma) }
            isFirst = false
            try check(pair.name, variable, operation)
            // According to §3.2.1, a pair's name is encoded like a literal. However, a name is data, and one that
            // contains a delimiter must not become two parameters. It is therefore encoded like the value, as in other
            // implementations.
            output.append(
                percentEncoding: pair.name,
                allowed: operation.allowed,
                keepingTriplets: operation.allowsReserved
            )
            if !variable.isExploded {
                output.append(.comma)
            } else if !(operation.isNamed && text.isEmpty && !operation.keepsEqualsSign) {
                output.append(.equals)
            }
            encode(text, pair.value, operation)
        }
    }

    /// Appends a name, which is copied like a literal.
    ///
    /// All of its characters are allowed there.
    private mutating func appendName(_ name: String, isEmpty: Bool, _ operation: TemplateOperator) {
        output.append(contentsOf: name.utf8)
        if !isEmpty || operation.keepsEqualsSign { output.append(.equals) }
    }

    private mutating func encode(_ text: String, _ value: URLValue, _ operation: TemplateOperator) {
        let isReserved = operation.allowsReserved && !value.isOpaque
        output.append(percentEncoding: text, allowed: isReserved ? .reserved : .unreserved, keepingTriplets: isReserved)
    }

    private func text(
        of value: URLValue,
        _ variable: VariableSpecification,
        _ operation: TemplateOperator
    ) throws(URLBuilderError) -> String {
        switch value {
        case .string(let text):
            try check(text, variable, operation)
            return text
        case .opaque(let text):
            try checkControls(text, variable, operation)
            return text
        case .array, .dictionary:
            throw unusable(variable, "lists and maps in a template cannot contain lists or maps (RFC 6570 §2.3)")
        default:
            guard let text = encoder.text(of: value.parameterValue) else {
                throw unusable(variable, "it is not a finite number or date")
            }
            if case .date = value { try check(text, variable, operation) }
            return text
        }
    }

    // MARK: Rules of requests

    private func check(
        _ text: String,
        _ variable: VariableSpecification,
        _ operation: TemplateOperator
    ) throws(URLBuilderError) {
        guard rules == .request, !operation.isQuery, !Self.isHarmless(text) else { return }
        try checkControls(text, variable, operation)
        if HostInValue.isSuspected(in: text) {
            throw URLBuilderError(.hostInValue(variable: variable.name))
        }
    }

    /// Returns whether the text contains no control characters and none that can indicate a host.
    ///
    /// This is a quick check for most values.
    private static func isHarmless(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where byte.isControl || byte == .slash || byte == .backslash || byte == .percent {
                return false
            }
            return true
        }
    }

    private func checkControls(
        _ text: String,
        _ variable: VariableSpecification,
        _ operation: TemplateOperator
    ) throws(URLBuilderError) {
        // In a query, a line break is ordinary text, which is percent-encoded.
        guard rules == .request, !operation.isQuery, text.utf8.contains(where: \.isControl) else { return }
        throw URLBuilderError(.controlCharacter(variable: variable.name))
    }

    private func unusable(_ variable: VariableSpecification, _ reason: String) -> URLBuilderError {
        URLBuilderError(.unusableValue(variable: variable.name, reason: reason))
    }
}

extension URLValue {
    fileprivate var isOpaque: Bool { if case .opaque = self { true } else { false } }
}

/// Looks up the values of variables, first in the call's path variables, and then in those reserved for the builder.
struct VariableLookup {
    let first: URLParameters
    var second = URLParameters([])

    var count: Int { first.elements.count + second.elements.count }

    func value(of name: String) -> URLValue? {
        first[name] ?? second[name]
    }
}
