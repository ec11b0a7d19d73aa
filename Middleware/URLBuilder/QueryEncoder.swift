import Foundation

/// Writes query parameters: pairs and `Encodable` values, with the conventions of the server they go to.
///
/// Names and values are percent-encoded but for the unreserved characters of RFC 3986 §2.3, so that no server reads a
/// delimiter in them; a space is `%20`, and the brackets of nested names `%5B` and `%5D`, as §3.4 has it.
public struct QueryEncoder: Sendable {
    /// How a parameter with several values is written.
    ///
    /// An empty list is left out.
    public enum ArrayStyle: Sendable, Hashable {
        /// `a=1&a=2`
        case repeated
        /// `a[]=1&a[]=2`
        case brackets
        /// `a[0]=1&a[1]=2`
        case indexed
        /// `a=1,2`; a comma in a value is `%2C`. Lists of lists and of keyed values, which it cannot tell apart, are
        /// written as ``indexed`` does.
        case commas
    }

    /// How keys are written, those of nested values and of pairs included.
    public enum KeyStyle: Sendable {
        /// As they are.
        case asIs
        /// `userID` becomes `user_id`.
        case snakeCase
        /// `userID` becomes `user-id`.
        case kebabCase
        /// As the closure writes them.
        case custom(@Sendable (String) -> String)
    }

    /// How the key of a value inside another is written.
    public enum NestingStyle: Sendable, Hashable {
        /// `a[b]=1`
        case brackets
        /// `a.b=1`
        case dots
    }

    /// What becomes of parameters without a value.
    public enum NilStyle: Sendable, Hashable {
        /// They are left out.
        case omitted
        /// `a=`
        case empty
    }

    /// Lists; ``ArrayStyle/repeated`` by default.
    public var arrays: ArrayStyle
    /// Keys; ``KeyStyle/asIs`` by default.
    public var keys: KeyStyle
    /// Values inside others; ``NestingStyle/brackets`` by default.
    public var nesting: NestingStyle
    /// Parameters without a value; ``NilStyle/omitted`` by default.
    public var nils: NilStyle
    /// Truth values and dates.
    public var format: URLValueFormat
    /// Whether the brackets of names stay as they are, for servers that insist; `false` by default.
    public var keepsBrackets: Bool

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - arrays: How lists are written.
    ///   - keys: How keys are written.
    ///   - nesting: How keys of nested values are written.
    ///   - nils: What becomes of parameters without a value.
    ///   - booleans: How truth values are written, in path variables too.
    ///   - dates: How dates are written, in path variables too.
    ///   - keepsBrackets: Whether the brackets of names stay as they are.
    public init(
        arrays: ArrayStyle = .repeated,
        keys: KeyStyle = .asIs,
        nesting: NestingStyle = .brackets,
        nils: NilStyle = .omitted,
        booleans: URLValueFormat.Booleans = .words,
        dates: URLValueFormat.Dates = .iso8601,
        keepsBrackets: Bool = false
    ) {
        self.arrays = arrays
        self.keys = keys
        self.nesting = nesting
        self.nils = nils
        self.keepsBrackets = keepsBrackets
        format = URLValueFormat(booleans: booleans, dates: dates)
    }

    /// The query, without a question mark; empty when there is nothing to write.
    ///
    /// - Throws: ``URLBuilderError`` that names the parameter, for a value that cannot be written.
    public func encode(_ query: URLQuery) throws(URLBuilderError) -> String {
        String(decoding: try bytes(query), as: UTF8.self)
    }

    /// The query of an `Encodable` value, without a question mark.
    ///
    /// - Throws: ``URLBuilderError`` that names the parameter, for a value that cannot be written.
    public func encode(_ value: some Encodable) throws(URLBuilderError) -> String {
        var writer = QueryWriter(encoder: self)
        try writer.append(try parameters(of: value))
        return String(decoding: writer.output, as: UTF8.self)
    }

    func bytes(_ query: URLQuery) throws(URLBuilderError) -> [UInt8] {
        var writer = QueryWriter(encoder: self)
        for item in query.items {
            switch item {
            case .pair(let pair): try writer.append(pair)
            case .value(let value): try writer.append(try parameters(of: value))
            case .raw(let text): writer.append(raw: text)
            }
        }
        return writer.output
    }

    private func parameters(of value: some Encodable) throws(URLBuilderError) -> URLParameters {
        let encoded: URLValue
        do {
            encoded = try URLValueEncoder.encode(value)
        } catch {
            var path = ""
            if case .invalidValue(_, let context)? = error as? EncodingError {
                path = context.codingPath.map(\.stringValue).joined(separator: ".")
            }
            throw URLBuilderError(
                .unencodableQuery(path: path, reason: "the value does not encode"),
                underlyingError: error
            )
        }
        switch encoded {
        case .dictionary(let parameters): return parameters
        case .null: return []
        default:
            throw URLBuilderError(
                .unencodableQuery(path: "", reason: "\(type(of: value)) has no keys; give it as the value of a pair")
            )
        }
    }

    func styled(_ key: String) -> String {
        switch keys {
        case .asIs: key
        case .snakeCase: Self.words(of: key, joined: "_")
        case .kebabCase: Self.words(of: key, joined: "-")
        case .custom(let style): style(key)
        }
    }

    /// Lower-case words, joined.
    ///
    /// A word begins at a capital after a small letter or digit, and at the last capital of a run before a small letter
    /// (`myURLPath`: my, url, path). Underscores at either end stay.
    private static func words(of key: String, joined separator: Character) -> String {
        let characters = Array(key)
        var result = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0 {
                let previous = characters[index - 1]
                let nextIsSmall = index + 1 < characters.count && characters[index + 1].isLowercase
                if previous.isLowercase || previous.isNumber || (previous.isUppercase && nextIsSmall) {
                    result.append(separator)
                }
            }
            if separator == "-", character == "_", index > 0, index + 1 < characters.count {
                result.append(separator)
            } else {
                result += character.lowercased()
            }
        }
        return result
    }
}
