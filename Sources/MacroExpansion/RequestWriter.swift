#if Macros
import SwiftSyntax

/// Writes the source of a method's request type, which is an ordinary `TypedRequest` with a property for each
/// parameter.
struct RequestWriter {
    let method: MethodModel
    let type: String
    let base: String
    let access: String
    let names: ExpansionNames

    /// The source.
    var source: String {
        var lines = ["/// The request of ``\(method.signature)``.", "\(access)struct \(type): TypedRequest {"]
        lines.append("    \(access)typealias Output = \(method.result.output)")
        lines += method.parameters.map { "    \(access)var \($0.stored): \($0.type)" }
        lines.append("")
        // The closures are stored, so their types are written as declared, with @escaping.
        let types = method.parameters.map { "\($0.stored): \($0.node.type.trimmedDescription)" }
        let parameters = types.joined(separator: ", ")
        lines.append("    \(access)init(\(parameters)) {")
        lines += method.parameters.map { "        self.\($0.stored) = \($0.stored)" }
        lines += ["    }", ""]
        if let verb = method.verb, verb.name != "GET" {
            lines.append("    \(access)var method: HTTPRequest.Method { .\(verb.name.lowercased()) }")
        }
        lines.append("    \(access)var path: String { \(literal(path)) }")
        lines += pathParameters + query + headers + body + result + configuration
        lines.append("}")
        if !fields.isEmpty { lines.insert(contentsOf: fieldsType, at: lines.count - 1) }
        return lines.joined(separator: "\n")
    }

    /// The path appended to the base, unless it is absolute.
    private var path: String {
        let isAbsolute = method.path.firstRange(of: "://").map { scheme in
            method.path[..<scheme.lowerBound].allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        }
        return base.isEmpty || isAbsolute == true ? method.path : method.path.isEmpty ? base : "\(base)/\(method.path)"
    }

    private func literal(_ text: String) -> String {
        // Escapes scalars, because a combining mark after a quotation mark makes a different Character.
        let escaped = text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
            scalar == "\"" || scalar == "\\" ? ["\\", scalar] : [scalar]
        }
        return "\"" + String(String.UnicodeScalarView(escaped)) + "\""
    }

    private func stored(_ name: String) -> String { method.parameter(name)?.stored ?? name }

    private func bound(_ annotation: String) -> [(wire: String, value: String)] {
        method.annotations(annotation).flatMap(\.bindings).map { ($0.wire, stored($0.parameter)) }
    }

    private var pathParameters: [String] {
        guard !method.variables.isEmpty else { return [] }
        let named = Dictionary(bound("Path").map { ($0.wire, $0.value) }, uniquingKeysWith: { first, _ in first })
        let pairs = method.variables.map { "\(literal($0)): \(named[$0] ?? stored($0))" }
        return ["    \(access)var pathParameters: URLParameters { [\(pairs.joined(separator: ", "))] }"]
    }

    private var query: [String] {
        let pairs = bound("Query").map { "\(literal($0.wire)): \($0.value)" }
        return pairs.isEmpty ? [] : ["    \(access)var query: URLQuery { [\(pairs.joined(separator: ", "))] }"]
    }

    private var headers: [String] {
        guard !method.headers.isEmpty else { return [] }
        var lines = ["    \(access)var headers: HTTPFields {", "        var fields = HTTPFields()"]
        for header in method.headers {
            let value = header.constant.map { Interpolation($0, method.parameters).swift }
            lines.append("        fields.declare(\(literal(header.name)), \(value ?? stored(header.parameter ?? "")))")
        }
        return lines + ["        return fields", "    }"]
    }

    private var fields: [(wire: String, value: String)] { bound("Field") }

    private var body: [String] {
        let value: String
        if let body = bound("Body").first {
            value = ".value(\(body.value))"
        } else if let raw = bound("RawBody").first {
            value = ".declared(\(raw.value))"
        } else if !fields.isEmpty {
            let arguments = fields.map { "\($0.value.asArgumentLabel): \($0.value)" }
            value = ".value(\(names.fields)(\(arguments.joined(separator: ", "))))"
        } else {
            return []
        }
        return ["    \(access)var body: HTTPBody { \(value) }"]
    }

    /// How the response is read, if the type of the output doesn't determine it.
    private var result: [String] {
        switch method.result.form {
        case .plain, .events, .pages: return []
        case .record: return ["    \(access)var result: ResultKind<Output> { .record() }"]
        case .jsonValues:
            let serializer = method.annotations("Serializer").first { $0.texts.isEmpty && !$0.isOff }
            let argument = serializer.map { "serializer: \($0.source)" } ?? ""
            return ["    \(access)var result: ResultKind<Output> { .jsonValues(\(argument)) }"]
        }
    }

    /// The encodable type for the fields of a form or an object.
    private var fieldsType: [String] {
        let types = Dictionary(method.parameters.map { ($0.stored, $0.type) }, uniquingKeysWith: { first, _ in first })
        var lines = ["", "    private struct \(names.fields): Encodable, Sendable {"]
        lines += fields.map { "        var \($0.value): \(types[$0.value] ?? "String")" }
        lines += ["", "        enum CodingKeys: String, CodingKey {"]
        lines += fields.map { "            case \($0.value) = \(literal($0.wire))" }
        return lines + ["        }", "    }"]
    }

    // MARK: Options of stages

    private var configuration: [String] {
        var lines = reserved + parts
        if method.annotations("FormURLEncoded").first != nil {
            lines.append("request = request.encoding(by: .form)")
        }
        for annotation in method.annotations where method.uses(annotation) {
            if let option = Annotation.options[annotation.name] {
                lines.append("request = request.\(option.call)(\(option.label)\(annotation.source))")
            }
            switch annotation.name {
            case "Statuses": lines.append(statuses(annotation))
            case "Caching": lines.append(caching(annotation))
            case "Option":
                let arguments = annotation.arguments.map(\.expression.trimmedDescription)
                guard arguments.count == 2 else { continue }
                lines.append("request.options[\(arguments[0])] = \(arguments[1])")
            case "Modified":
                guard let change = annotation.arguments.first else { continue }
                lines.append(
                    "request = (\(change.expression.trimmedDescription) as @Sendable (\(names.request)) -> \(names.request))(request)"
                )
            default: break
            }
        }
        lines += bound("OData").map { with($0.value, "request = try request.odata(\($0.value))") }
        lines += bound("Progress").map { with($0.value, "request = request.progress(\($0.value))") }
        lines += bound("Change").map { with($0.value, "request = \($0.value)(request)") }
        guard !lines.isEmpty else { return [] }
        return ["", "    \(access)func configure(_ request: inout \(names.request)) throws {"]
            + lines.map { "        \($0)" }
            + ["    }"]
    }

    /// Returns a statement that uses a parameter; if the parameter is an optional, the statement is skipped for nil.
    private func with(_ name: String, _ statement: String) -> String {
        let isOptional = method.parameters.first { $0.stored == name }?.isOptional == true
        return isOptional ? "if let \(name) { \(statement) }" : statement
    }

    private var reserved: [String] {
        bound("Reserved").map { "request = request.declare(reserved: \(literal($0.wire)), \($0.value))" }
    }

    private var parts: [String] {
        let parts = bound("Part").map { "\($0.value).parts(named: \(literal($0.wire)))" }
        guard !parts.isEmpty else { return [] }
        let boundary = method.annotations("Multipart").first?.argument("boundary")?.trimmedDescription
        let form = parts.joined(separator: " + ") + (boundary.map { ", boundary: \($0)" } ?? "")
        return ["request = request.multipart(MultipartForm(\(form)))"]
    }

    private func statuses(_ annotation: Annotation) -> String {
        let adds = annotation.arguments.first?.label?.text == "adding"
        let codes = annotation.arguments.map(\.expression.trimmedDescription)
        return "request = request.statuses(\(adds ? "adding" : "only"): [\(codes.joined(separator: ", "))])"
    }

    private func caching(_ annotation: Annotation) -> String {
        guard let age = annotation.argument("maxAge") else { return "request = request.caching(\(annotation.source))" }
        var arguments = ["lifetime: .exactly(\(age.trimmedDescription))"]
        if annotation.argument("offline")?.trimmedDescription == "true" {
            arguments.insert("use: .storedOnFailure", at: 0)
        }
        if let identifier = identifier(annotation) { arguments.append("identifier: \(identifier)") }
        return "request = request.caching(CacheSettings(\(arguments.joined(separator: ", "))))"
    }

    /// Returns the identifier of a stored response as a Swift string literal, or nil if the URL is enough.
    ///
    /// It contains all parameters that are in header fields, because the responses that depend on them have the same
    /// URL.
    private func identifier(_ annotation: Annotation) -> String? {
        let written = annotation.argument("identifier").map { Interpolation($0.literalText ?? "", method.parameters) }
        // Responses to other methods aren't stored without an identifier, and must not be stored because of this one.
        guard written != nil || method.verb.map({ ["GET", "HEAD"].contains($0.name) }) == true else { return nil }
        let used = written?.used ?? []
        let values = method.headerParameters.filter { !used.contains($0.name) }.map { parameter in
            parameter.isOptional ? "\(parameter.stored).map { \"\\($0)\" }" : "\"\\(\(parameter.stored))\""
        }
        if values.isEmpty { return written?.swift }
        // The description of an array has its elements in quotation marks, so that different elements have different
        // descriptions.
        return "\(written?.swift.dropLast() ?? "\"")\\([\(values.joined(separator: ", "))])\""
    }
}
#endif
