public import HTTPChainCore
import HTTPChainSupport

/// The values for the templates of ``HeadersMiddleware`` in one call, by name or by position.
package struct HeaderParameters: Sendable, Hashable {
    /// The named parameters, for `{name}`.
    package var named: [String: String]
    /// The positional parameters, for `%%0%%`, `%%1%%` and so on.
    package var positional: [String]
    /// Whether the call's own operations have a template, so that no stage has to have one.
    package var haveOwnTemplate = false
    /// Whether an outer stage has checked the parameters against the templates.
    var areChecked = false

    /// Makes parameters.
    package init(_ named: [String: String] = [:], _ positional: [String] = []) {
        self.named = named
        self.positional = positional
    }
}

/// The option for a call's ``HeaderParameters``, which are sent only through templates.
package enum HeaderParametersOption: RequestOption {
    /// No parameters.
    package static var defaultValue: HeaderParameters { HeaderParameters() }
    /// The values may be secrets.
    package static var isCredential: Bool { true }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".headerParameters(_:_:)", reader: "HeadersMiddleware([.set(…, template: …)])", phase: .build)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.haveOwnTemplate || value.named.isEmpty && value.positional.isEmpty
    }
}

extension Request {
    /// Returns the request with additional parameters for the templates of ``HeadersMiddleware``.
    ///
    /// ```swift
    /// let stage = HeadersMiddleware([.set("X-Trace", template: "{app}-%%0%%")])
    ///
    /// try await chain.send(.get("plants").headerParameters(["app": "garden"], ["42"]))   // X-Trace: garden-42
    /// ```
    ///
    /// If neither a stage of the chain nor the call's own ``headers(_:)`` has a template, the chain refuses the
    /// request. A parameter that doesn't occur in any template throws a ``HeadersError``.
    ///
    /// - Parameters:
    ///   - named: The named parameters, for `{name}`. A repeated name replaces the previous value.
    ///   - positional: The positional parameters, for `%%0%%`, added after the request's existing ones.
    public consuming func headerParameters(_ named: [String: String] = [:], _ positional: [String] = []) -> Request {
        options[HeaderParametersOption.self].named.merge(named) { $1 }
        options[HeaderParametersOption.self].positional += positional
        noteOwnTemplates()
        return self
    }
}

/// A field value with parameters, such as `{name}`, or `%%0%%` by position.
package struct HeaderTemplate: Sendable {
    private enum Piece: Sendable {
        case text(String)
        case name(String)
        case position(Int)
    }

    private let field: String
    private let pieces: [Piece]

    /// Makes a template.
    ///
    /// Braces and percent signs that don't form a parameter are text.
    package init(_ template: String, of field: String) {
        self.field = field
        var pieces: [Piece] = []
        var text: [UInt8] = []
        var rest = Array(template.utf8)[...]
        func flush() {
            if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
            text = []
        }
        while let byte = rest.first {
            if byte == UInt8(ascii: "{"), let end = Self.endOfName(in: rest) {
                flush()
                pieces.append(.name(String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)))
                rest = rest[(end + 1)...]
            } else if rest.starts(with: Self.mark), let number = Self.number(in: rest.dropFirst(2)) {
                flush()
                pieces.append(.position(number.value))
                rest = rest[number.end...]
            } else {
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        flush()
        self.pieces = pieces
    }

    private static let mark = Array("%%".utf8)

    /// Returns the index of the brace after a name of letters, digits and `_-.`; other braces, as in JSON, are text.
    private static func endOfName(in bytes: ArraySlice<UInt8>) -> Int? {
        let name = bytes.dropFirst().prefix { ASCII.isAlphanumeric($0) || "_-.".utf8.contains($0) }
        let end = name.endIndex
        return !name.isEmpty && end < bytes.endIndex && bytes[end] == UInt8(ascii: "}") ? end : nil
    }

    /// Parses digits followed by two percent signs.
    private static func number(in bytes: ArraySlice<UInt8>) -> (value: Int, end: Int)? {
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let value = Int(String(decoding: digits, as: UTF8.self)), bytes[digits.endIndex...].starts(with: mark)
        else { return nil }
        return (value, digits.endIndex + 2)
    }

    /// Whether the template has no parameters.
    package var isConstant: Bool {
        pieces.allSatisfy { piece in
            if case .text = piece { true } else { false }
        }
    }

    /// The names of its named parameters.
    package var names: [String] {
        pieces.compactMap { piece in
            if case .name(let name) = piece { name } else { nil }
        }
    }

    /// The positions of its positional parameters.
    package var positions: [Int] {
        pieces.compactMap { piece in
            if case .position(let position) = piece { position } else { nil }
        }
    }

    /// Returns the value for a request.
    ///
    /// - Throws: ``HeadersError`` for a parameter that the call doesn't have.
    @Sendable
    func value(_ request: Request) async throws -> String? {
        let parameters = request.options[HeaderParametersOption.self]
        let variables = request.options[CallVariablesNote.self]
        return try value {
            parameters.named[$0] ?? variables?.text(of: $0)
        } at: { position in
            parameters.positional.indices.contains(position)
                ? parameters.positional[position] : variables?.text(of: "\(position)")
        }
    }

    /// Returns the value with the parameters from two closures.
    ///
    /// - Throws: ``HeadersError`` for a parameter that is `nil`.
    package func value(
        named: (String) throws -> String?,
        at positional: (Int) throws -> String?
    ) throws -> String {
        try pieces.map { piece in
            switch piece {
            case .text(let text): return text
            case .name(let name):
                guard let value = try named(name) else {
                    throw HeadersError(.missingParameter(name: field, parameter: name))
                }
                return value
            case .position(let position):
                guard let value = try positional(position) else {
                    throw HeadersError(.missingParameter(name: field, parameter: "%%\(position)%%"))
                }
                return value
            }
        }.joined()
    }
}
