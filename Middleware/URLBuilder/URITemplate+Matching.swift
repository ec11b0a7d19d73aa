import HTTPChainSupport

extension URITemplate {
    /// Returns the values with which the template expands to a URL.
    ///
    /// This is the inverse of expansion, for routes in tests and mocks.
    ///
    /// ```swift
    /// let route = try URITemplate("/users/{id}/files{/path*}{?page}")
    /// route.match("/users/42/files/a/b?page=2")   // id 42, path [a, b], page 2
    /// route.match("/users/42/notes")              // nil
    /// ```
    ///
    /// Values are text. They are lists of text if the URL contains several, or maps if it contains the pairs of an
    /// exploded variable. If several sets of values result in the same URL, the first variables match as much as
    /// possible. Variables with an operator that adds its own delimiter may be missing. Query parameters may be in any
    /// order.
    ///
    /// - Returns: The values. With them, ``expand(_:encoder:)`` returns the same URL, except for the order of its
    ///   parameters and the choice of percent-encoded characters. Returns `nil` if there are no such values, if the URL
    ///   is longer than 8 KiB, or if it is so ambiguous that examining a million bytes doesn't settle it.
    public func match(_ url: String) -> URLParameters? {
        let bytes = Array(url.utf8)
        guard bytes.count <= 8192 else { return nil }
        var matcher = TemplateMatcher(bytes: bytes)
        return matcher.match(parts[...], at: 0, [])
    }
}

/// Tries the possible outputs of each expression, longest first.
private struct TemplateMatcher {
    typealias Found = [(String, URLValue)]

    let bytes: [UInt8]
    /// The number of bytes that may still be examined.
    private var budget = 1_000_000

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func match(_ parts: ArraySlice<TemplatePart>, at index: Int, _ found: Found) -> URLParameters? {
        guard let part = parts.first else { return index == bytes.count ? URLParameters(found) : nil }
        let rest = parts.dropFirst()
        switch part {
        case .literal(let text):
            guard bytes[index...].starts(with: text) else { return nil }
            return match(rest, at: index + text.count, found)
        case .expression(let expression):
            let operation = expression.operation
            var start = index
            if let first = operation.first {
                guard index < bytes.count, bytes[index] == first else { return match(rest, at: index, found) }
                start += 1
            }
            var end = start
            while end < bytes.count, Self.mayStand(bytes[end], in: expression) { end += 1 }
            while end > start || operation.first != nil {
                budget -= end - start + 1
                guard budget > 0 else { return nil }
                if let values = Self.values(of: bytes[start..<end], in: expression),
                    let match = match(rest, at: end, found + values)
                {
                    return match
                }
                guard end > start else { break }
                end -= 1
            }
            // Without output, the delimiter belongs to the next part.
            return operation.first == nil ? nil : match(rest, at: index, found)
        }
    }

    /// Returns whether the expression may have produced the byte.
    private static func mayStand(_ byte: UInt8, in expression: TemplateExpression) -> Bool {
        let operation = expression.operation
        let isSeveral = expression.variables.count > 1 || expression.variables.contains(where: \.isExploded)
        if operation.isQuery { return byte != .hash }
        if operation.allowsReserved { return true }
        if isSeveral, byte == operation.separator { return true }
        return ByteSet.unreserved.contains(byte) || byte == .percent || byte == .comma
            || (operation == .pathParameter && byte == .equals)
            || (expression.variables.contains(where: \.isExploded) && byte == .equals)
    }

    /// Returns the values of the variables in the expression's output, or `nil` if it can't have produced this output.
    private static func values(of text: ArraySlice<UInt8>, in expression: TemplateExpression) -> Found? {
        let operation = expression.operation
        let isSeveral = expression.variables.count > 1 || expression.variables.contains(where: \.isExploded)
        let pieces =
            isSeveral || operation.isNamed
            ? text.split(separator: operation.separator, omittingEmptySubsequences: false) : [text]
        return operation.isNamed ? named(pieces, expression) : unnamed(pieces, of: text, expression)
    }

    private static func named(_ pieces: [ArraySlice<UInt8>], _ expression: TemplateExpression) -> Found? {
        var found: [String: [URLValue]] = [:]
        for piece in pieces {
            let name = piece.prefix { $0 != .equals }
            let key = String(decoding: name, as: UTF8.self)
            guard let variable = expression.variables.first(where: { $0.name == key }),
                let value = value(of: piece.dropFirst(name.count + 1), variable, in: expression.operation),
                variable.isExploded || found[key] == nil
            else { return nil }
            found[key, default: []].append(value)
        }
        return expression.variables.compactMap { variable in
            guard let values = found[variable.name] else { return nil }
            return (variable.name, values.count == 1 ? values[0] : .array(values))
        }
    }

    private static func unnamed(
        _ pieces: [ArraySlice<UInt8>],
        of text: ArraySlice<UInt8>,
        _ expression: TemplateExpression
    ) -> Found? {
        let operation = expression.operation
        var pieces = pieces[...]
        var found: Found = []
        for (index, variable) in expression.variables.enumerated() {
            guard !pieces.isEmpty else { break }
            let others = expression.variables.count - index - 1
            // A dot between labels may also be part of a value.
            let isLong = variable.isExploded || operation == .label
            let own = pieces.prefix(isLong ? max(1, pieces.count - others) : 1)
            pieces = pieces.dropFirst(own.count)
            guard let first = own.first, let last = own.last,
                let value = variable.isExploded
                    ? members(own, variable, in: operation)
                    : value(of: text[first.startIndex..<last.endIndex], variable, in: operation)
            else { return nil }
            found.append((variable.name, value))
        }
        return pieces.isEmpty ? found : nil
    }

    /// Returns the list or map that an exploded variable produced.
    private static func members(
        _ pieces: ArraySlice<ArraySlice<UInt8>>,
        _ variable: VariableSpecification,
        in operation: TemplateOperator
    ) -> URLValue? {
        guard !operation.allowsReserved, pieces.contains(where: { $0.contains(.equals) }) else {
            let values = pieces.compactMap { value(of: $0, variable, in: operation) }
            return values.count == pieces.count ? .array(values) : nil
        }
        let pairs = pieces.compactMap { piece -> (String, URLValue)? in
            guard let equals = piece.firstIndex(of: .equals), let name = decoded(piece[..<equals]),
                let value = value(of: piece[(equals + 1)...], variable, in: operation)
            else { return nil }
            return (name, value)
        }
        return pairs.count == pieces.count ? .dictionary(URLParameters(pairs)) : nil
    }

    private static func value(
        of text: ArraySlice<UInt8>,
        _ variable: VariableSpecification,
        in operation: TemplateOperator
    ) -> URLValue? {
        if !variable.isExploded, !operation.allowsReserved, text.contains(.comma) {
            let members = text.split(separator: .comma, omittingEmptySubsequences: false).map(decoded)
            return members.contains(nil) ? nil : .array(members.compactMap { $0 }.map(URLValue.string))
        }
        guard operation.allowsReserved else { return decoded(text).map(URLValue.string) }
        // The value's own triplets are kept, because decoding them would change their encoding.
        let value = decoded(text)
        var again: [UInt8] = []
        again.append(percentEncoding: value ?? "", allowed: .reserved, keepingTriplets: true)
        return .string(again.elementsEqual(text) ? value ?? "" : String(decoding: text, as: UTF8.self))
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let (byte, next) = text.decodedByte(at: index)
            result.append(byte)
            index = next
        }
        return String(validUTF8: result)
    }
}
