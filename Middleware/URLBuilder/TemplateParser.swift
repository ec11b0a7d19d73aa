import HTTPChainSupport

/// Parses a template, RFC 6570 §2, with additional notations for path variables.
struct TemplateParser {
    private let text: String
    private let bytes: [UInt8]
    private let syntax: VariableNotations
    private var index = 0
    private var literal: [UInt8] = []
    private var parts: [TemplatePart] = []
    /// Whether the position is in the path.
    ///
    /// Colon variables occur only there.
    private var inPath = true

    private init(_ text: String, syntax: VariableNotations) {
        self.text = text
        self.syntax = syntax
        bytes = Array(text.utf8)
    }

    static func parse(_ text: String, syntax: VariableNotations) throws(URLBuilderError) -> [TemplatePart] {
        var parser = TemplateParser(text, syntax: syntax)
        try parser.parse()
        return parser.parts
    }

    private mutating func parse() throws(URLBuilderError) {
        while index < bytes.count {
            Steps.take()
            let byte = bytes[index]
            switch byte {
            case .openBrace where syntax.contains(.templates):
                try parseExpression()
            case .closeBrace where syntax.contains(.templates):
                throw malformed(at: index, "a } without a { before it")
            case .percent where positionalEnd != nil:
                try parsePosition()
            case .colon where startsColonVariable:
                parseColonVariable()
            default:
                if byte == .question || byte == .hash { inPath = false }
                if byte.isControl { throw malformed(at: index, "a control character; remove or percent-encode it") }
                appendLiteral()
            }
        }
        flushLiteral()
        markWholeSegments()
    }

    /// Appends literal text, RFC 6570 §3.1: characters that are valid in URIs are copied, including triplets, and all
    /// others are percent-encoded.
    private mutating func appendLiteral() {
        let byte = bytes[index]
        if ByteSet.reserved.contains(byte) || bytes.percentEncodedByte(at: index) != nil {
            literal.append(byte)
        } else {
            literal.append(percentEncoding: byte)
        }
        index += 1
    }

    private mutating func flushLiteral() {
        guard !literal.isEmpty else { return }
        parts.append(.literal(literal))
        literal = []
    }

    private mutating func append(_ expression: TemplateExpression) {
        flushLiteral()
        parts.append(.expression(expression))
    }

    private func malformed(at index: Int, _ reason: String) -> URLBuilderError {
        let position = text.distance(from: text.startIndex, to: text.utf8.index(text.startIndex, offsetBy: index))
        return URLBuilderError(.malformedTemplate(text, position: position, reason: reason))
    }

    // MARK: Expressions

    private mutating func parseExpression() throws(URLBuilderError) {
        let open = index
        guard let close = bytes[open...].firstIndex(of: .closeBrace) else {
            throw malformed(at: open, "the { is not closed")
        }
        Steps.take(close - open)
        index = open + 1
        guard index < close else { throw malformed(at: open, "the braces contain no variable") }
        let operation = try parseOperator()
        if operation == .query || operation == .queryContinuation || operation == .fragment { inPath = false }
        var variables: [VariableSpecification] = []
        repeat {
            variables.append(try parseVariable())
        } while skip(.comma)
        guard index == close else {
            throw malformed(at: index, "\(shown(bytes[index])) is not allowed in an expression")
        }
        index = close + 1
        append(TemplateExpression(operation: operation, variables: variables))
    }

    private mutating func parseOperator() throws(URLBuilderError) -> TemplateOperator {
        let byte = bytes[index]
        if let operation = TemplateOperator(rawValue: byte), operation != .simple {
            index += 1
            return operation
        }
        // RFC 6570 §2.2: these characters are reserved for extensions.
        if "=,!@|".utf8.contains(byte) {
            throw malformed(at: index, "the operator \(shown(byte)) is reserved (RFC 6570 §2.2)")
        }
        return .simple
    }

    /// Parses a name (RFC 6570 §2.3) and its modifier (§2.4), up to the closing brace.
    private mutating func parseVariable() throws(URLBuilderError) -> VariableSpecification {
        let start = index
        var dotAllowed = false
        while true {
            Steps.take()
            let byte = bytes[index]
            if byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") {
                index += 1
                dotAllowed = true
            } else if bytes.percentEncodedByte(at: index) != nil {
                index += 3
                dotAllowed = true
            } else if byte == .dot, dotAllowed {
                index += 1
                dotAllowed = false
            } else {
                break
            }
        }
        guard index > start else {
            throw malformed(at: index, "a variable's name is expected")
        }
        guard dotAllowed else { throw malformed(at: index - 1, "a dot in a name must be between other characters") }
        var variable = VariableSpecification(name: String(decoding: bytes[start..<index], as: UTF8.self))
        if skip(UInt8(ascii: "*")) {
            variable.isExploded = true
        } else if skip(.colon) {
            variable.prefix = try parsePrefix()
        }
        return variable
    }

    /// Parses a prefix, RFC 6570 §2.4.1: 1 to 9999, without a leading zero.
    private mutating func parsePrefix() throws(URLBuilderError) -> Int {
        let start = index
        var number = 0
        while bytes[index].isDigit, index - start < 5 {
            number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard index > start, bytes[start] != UInt8(ascii: "0"), number < 10000 else {
            throw malformed(at: start, "a prefix must be a number from 1 to 9999")
        }
        return number
    }

    /// Skips a byte of an expression before the closing brace.
    private mutating func skip(_ byte: UInt8) -> Bool {
        guard bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private func shown(_ byte: UInt8) -> String {
        byte.isControl || byte >= 0x80 ? "this character" : "\"\(Character(Unicode.Scalar(byte)))\""
    }

    // MARK: Other notations

    private var startsColonVariable: Bool {
        guard syntax.contains(.colons), inPath, index + 1 < bytes.count else { return false }
        let next = bytes[index + 1]
        guard next.isLetter || next == UInt8(ascii: "_") else { return false }
        guard index > 0 else { return true }
        return [.slash, .dot, .hyphen].contains(bytes[index - 1])
    }

    private mutating func parseColonVariable() {
        index += 1
        let start = index
        while index < bytes.count, bytes[index].isLetter || bytes[index].isDigit || bytes[index] == UInt8(ascii: "_") {
            Steps.take()
            index += 1
        }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        append(TemplateExpression(operation: .simple, variables: [VariableSpecification(name: name)]))
    }

    /// The end of the digits of `%%0%%`, if such a variable begins here.
    private var positionalEnd: Int? {
        guard syntax.contains(.positions), bytes[index...].starts(with: [.percent, .percent]) else { return nil }
        let end = bytes[(index + 2)...].firstIndex { !$0.isDigit }
        Steps.take((end ?? bytes.count) - index)
        guard let end, end > index + 2, bytes[end...].starts(with: [.percent, .percent])
        else { return nil }
        return end
    }

    private mutating func parsePosition() throws(URLBuilderError) {
        guard let end = positionalEnd, let number = Int(String(decoding: bytes[(index + 2)..<end], as: UTF8.self))
        else { throw malformed(at: index, "the position is too large") }
        index = end + 2
        append(TemplateExpression(operation: .simple, variables: [VariableSpecification(name: String(number))]))
    }

    // MARK: Segments

    private mutating func markWholeSegments() {
        for index in parts.indices {
            guard case .expression(var expression) = parts[index], expression.operation == .simple else { continue }
            Steps.take()
            guard startsSegment(index), endsSegment(index) else { continue }
            expression.isWholeSegment = true
            parts[index] = .expression(expression)
        }
    }

    private func startsSegment(_ index: Int) -> Bool {
        guard index > 0 else { return true }
        guard case .literal(let bytes) = parts[index - 1] else { return false }
        Steps.take(bytes.count)
        return bytes.last == .slash && !bytes.contains(.question)
    }

    private func endsSegment(_ index: Int) -> Bool {
        guard index + 1 < parts.count else { return true }
        switch parts[index + 1] {
        case .literal(let bytes): return bytes.first == .slash || bytes.first == .question || bytes.first == .hash
        case .expression(let next):
            return next.operation.isQuery || next.operation == .pathSegment || next.operation == .fragment
        }
    }
}
