import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A parsed reference with variables.
///
/// If a template contains a host, the host is separate.
struct URLPattern: Sendable {
    /// The scheme of a template with a host.
    ///
    /// `nil` if there is no host, or if the template begins with `//`.
    let scheme: String?
    /// The host and port of a template that contains them.
    let authority: [TemplatePart]?
    /// The path and the query.
    let parts: [TemplatePart]

    init(_ text: String, syntax: VariableNotations) throws(URLBuilderError) {
        let all = try TemplateParser.parse(text, syntax: syntax)
        guard case .literal(let bytes)? = all.first, let start = Self.authorityStart(of: bytes) else {
            scheme = nil
            authority = nil
            parts = all
            return
        }
        scheme = start > 2 ? String(decoding: bytes[..<(start - 3)], as: UTF8.self).lowercased() : nil
        var authority: [TemplatePart] = []
        var rest = ArraySlice([.literal(Array(bytes[start...]))] + all.dropFirst())
        scan: while let part = rest.first {
            switch part {
            case .literal(let bytes):
                if let end = bytes.firstIndex(where: { $0 == .slash || $0 == .question || $0 == .hash }) {
                    authority.append(.literal(Array(bytes[..<end])))
                    rest[rest.startIndex] = .literal(Array(bytes[end...]))
                    break scan
                }
            case .expression(let expression):
                // The other operators add a delimiter that ends the host, or a value that may do so.
                guard expression.operation == .simple else { break scan }
            }
            authority.append(part)
            rest = rest.dropFirst()
        }
        self.authority = authority
        parts = Array(rest)
    }

    /// The beginning of the authority, after `scheme://` or `//` (RFC 3986 §3).
    static func authorityStart(of bytes: [UInt8]) -> Int? {
        let colon = bytes.firstIndex {
            !($0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == .hyphen || $0 == .dot)
        }
        guard let colon, bytes[colon...].starts(with: Array("://".utf8)), bytes[0].isLetter else {
            return bytes.starts(with: [.slash, .slash]) ? 2 : nil
        }
        return colon + 3
    }

    /// Returns whether the host, the path or the query contains a variable.
    func hasVariable(_ name: String) -> Bool {
        parts.hasVariable(name) || authority?.hasVariable(name) ?? false
    }

    /// The names of the variables, without duplicates, in order of appearance.
    var variableNames: [String] { ((authority ?? []) + parts).variableNames }

    /// The name of the first variable outside the host, for errors.
    var firstVariable: String {
        for case .expression(let expression) in parts { return expression.variables.first?.name ?? "" }
        return ""
    }

    /// Returns the host and port with their variables filled in.
    ///
    /// A variable may be the left part of a host (`{tenant}.example.com`) or the port. At the end of the host, it would
    /// determine alone where the request is sent.
    func expandedAuthority(
        _ authority: [TemplatePart],
        _ lookup: VariableLookup,
        _ encoder: ParameterEncoder
    ) throws(URLBuilderError) -> String {
        var expansion = TemplateExpansion(lookup: lookup, encoder: encoder, rules: .request)
        let lastLabel = authority.lastIndex(where: Self.hasLaterLabel)
        for (index, part) in authority.enumerated() {
            let start = expansion.output.count
            try expansion.append(CollectionOfOne(part))
            guard case .expression(let expression) = part else { continue }
            let name = expression.variables.first?.name ?? ""
            let value = String(decoding: expansion.output[start...], as: UTF8.self).removingPercentEncoding ?? "/"
            guard !value.isEmpty else { throw URLBuilderError(.emptyVariable(name)) }
            let isPort = start > 0 && expansion.output[start - 1] == .colon
            let isSafe = isPort ? value.utf8.allSatisfy(\.isDigit) : Self.isPartOfHost(value)
            guard isSafe, isPort || lastLabel.map({ $0 > index }) ?? false else {
                throw URLBuilderError(.hostInValue(variable: name))
            }
        }
        return String(decoding: expansion.output, as: UTF8.self)
    }

    private static func isPartOfHost(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == .hyphen || $0 == .dot || $0 == 0x5F || $0 >= 0x80 }
    }

    /// Returns whether the part is literal text that contains a label after a dot.
    private static func hasLaterLabel(_ part: TemplatePart) -> Bool {
        guard case .literal(let bytes) = part else { return false }
        Steps.take(bytes.count)
        let host = bytes.prefix { $0 != .colon }
        guard let dot = host.firstIndex(of: .dot) else { return false }
        return host[dot...].contains { $0.isLetter || $0.isDigit }
    }
}
