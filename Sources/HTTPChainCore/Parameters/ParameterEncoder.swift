/// Writes `Encodable` values and pairs as names and values, with the conventions of the server they go to: in queries
/// and in forms (`application/x-www-form-urlencoded`).
///
/// ```swift
/// struct Search: Encodable {
///     var text = "oak tree"
///     var tagIDs = [1, 2]
///     var size = ["min": 3]
/// }
///
/// try ParameterEncoder().encode(Search())
/// // text=oak%20tree&tagIDs=1&tagIDs=2&size%5Bmin%5D=3
/// try ParameterEncoder(arrays: .commas, keys: .snakeCase, nesting: .dots).encode(Search())
/// // text=oak%20tree&tag_ids=1,2&size.min=3
/// ```
///
/// One encoder serves `URLBuilderMiddleware`, for queries, and `FormSerializer`, which reads back all that it writes.
///
/// Names and values are percent-encoded but for the unreserved characters of RFC 3986 §2.3, so that no server reads a
/// delimiter in them. Data is written in base64, dictionaries sorted by key. A number that is not finite is an error.
public struct ParameterEncoder: Sendable {
    /// The way a list is written; an empty list is left out.
    ///
    /// Lists of lists and of keyed values are written with indices in every style but ``rack``: other servers could not
    /// tell their members apart.
    public enum Arrays: Sendable, Hashable {
        /// `a=1&a=2`
        case repeated
        /// `a[]=1&a[]=2`
        case brackets
        /// `a[0]=1&a[1]=2`
        case indexed
        /// `a=1,2`; a comma in a value is `%2C`.
        case commas
        /// `a=1%7C2`, OpenAPI's `pipeDelimited`; a value with a pipe is an error, since nobody could tell it.
        case pipes
        /// `a[]=1&a[]=2`, and `a[][id]=1&a[][id]=2` for keyed values, as Rack and Rails read them: a member begins where
        /// a key comes again.
        case rack
    }

    /// The way the key of a value inside another is written.
    public enum Nesting: Sendable, Hashable {
        /// `a[b]=1`
        case brackets
        /// `a.b=1`; members of lists have brackets: `a[0].b=1`.
        case dots
    }

    /// The treatment of parameters without a value.
    public enum Nils: Sendable, Hashable {
        /// They are left out.
        case omitted
        /// `a=`
        case empty
    }

    /// The way a truth value is written; all of these are read, and `on`, `off`, `yes` and `no`.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// The way a space is written.
    public enum Spaces: Sendable, Hashable {
        /// ``percent`` in queries (RFC 3986 §2.1), ``plus`` in forms (WHATWG URL §5.2).
        case automatic
        /// `%20`
        case percent
        /// `+`
        case plus
    }

    /// Lists; ``Arrays/repeated`` by default.
    public var arrays: Arrays
    /// Keys; ``Keys/asIs`` by default.
    public var keys: Keys
    /// Values inside others; ``Nesting/brackets`` by default.
    public var nesting: Nesting
    /// Parameters without a value; ``Nils/omitted`` by default.
    public var nils: Nils
    /// Truth values; ``Booleans/words`` by default.
    public var booleans: Booleans
    /// Dates; ``DateCoding/iso8601`` by default.
    public var dates: DateCoding
    /// Spaces; ``Spaces/automatic`` by default.
    public var spaces: Spaces
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
    ///   - spaces: How spaces are written.
    ///   - keepsBrackets: Whether the brackets of names stay as they are.
    public init(
        arrays: Arrays = .repeated,
        keys: Keys = .asIs,
        nesting: Nesting = .brackets,
        nils: Nils = .omitted,
        booleans: Booleans = .words,
        dates: DateCoding = .iso8601,
        spaces: Spaces = .automatic,
        keepsBrackets: Bool = false
    ) {
        self.arrays = arrays
        self.keys = keys
        self.nesting = nesting
        self.nils = nils
        self.booleans = booleans
        self.dates = dates
        self.spaces = spaces
        self.keepsBrackets = keepsBrackets
    }

    /// The pairs of a value with keys at its top level, as a query without its question mark.
    ///
    /// - Throws: `EncodingError` with the parameter's name as its coding path, for a value that cannot be written; what
    ///   the value itself throws.
    public func encode(_ value: some Encodable) throws -> String {
        var writer = ParameterWriter(self)
        try writer.append(contentsOf: value)
        return String(decoding: writer.output, as: UTF8.self)
    }

    /// The text of a single value; nil for lists and keyed values, and for what has no text.
    package func text(of value: ParameterValue) -> String? {
        switch value {
        case .text(let text): text
        case .number(let number): number.isFinite ? "\(number)" : nil
        case .truth(let truth): booleans == .words ? (truth ? "true" : "false") : (truth ? "1" : "0")
        case .date(let date): dates.text(of: date)
        case .empty: ""
        case .null, .list, .members: nil
        }
    }
}
