/// Encodes `Encodable` values and pairs as names and values in queries and forms (`application/x-www-form-urlencoded`),
/// following the conventions of the server.
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
/// `URLBuilderMiddleware` uses this encoder for queries, and the serializer `.form` for forms. `.form` can decode
/// everything that it encodes.
///
/// Names and values are percent-encoded except for the unreserved characters of RFC 3986 §2.3 (in forms, those that
/// WHATWG URL §5.2 keeps), so that no server finds a delimiter in them. Data is encoded in base64; dictionaries with
/// string keys are sorted by key. Encoding a number that isn't finite throws an error.
public struct ParameterEncoder: Sendable {
    /// The format of lists; an empty list is omitted.
    ///
    /// Lists of lists and of keyed values are written with indices in every format but ``rack``, because other servers
    /// couldn't distinguish their members.
    public enum Arrays: Sendable, Hashable {
        /// `a=1&a=2`
        case repeated
        /// `a[]=1&a[]=2`
        case brackets
        /// `a[0]=1&a[1]=2`
        case indexed
        /// `a=1,2`; a comma in a value becomes `%2C`.
        case commas
        /// `a=1%7C2`, OpenAPI's `pipeDelimited`; a value with a pipe is an error, because it would be ambiguous.
        case pipes
        /// `a[]=1&a[]=2`, and `a[][id]=1&a[][id]=2` for keyed values, as parsed by Rack and Rails: a repeated key
        /// begins a new member.
        ///
        /// Lists that Rack would misread are an error: lists of lists, and a keyed value that begins with a key that
        /// the previous one lacks.
        case rack
    }

    /// The format of keys of nested values.
    public enum Nesting: Sendable, Hashable {
        /// `a[b]=1`
        case brackets
        /// `a.b=1`; members of lists use brackets: `a[0].b=1`.
        case dots
    }

    /// The treatment of parameters without a value.
    public enum Nils: Sendable, Hashable {
        /// They are omitted.
        case omitted
        /// `a=`
        case empty
    }

    /// The format of Booleans; all of these can be decoded, and so can `on`, `off`, `yes` and `no`.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// The encoding of spaces.
    public enum Spaces: Sendable, Hashable {
        /// ``percent`` in queries (RFC 3986 §2.1), ``plus`` in forms (WHATWG URL §5.2).
        case automatic
        /// `%20`
        case percent
        /// `+`
        case plus
    }

    /// The format of lists; ``Arrays/repeated`` by default.
    package var arrays: Arrays
    /// The style of keys; ``Keys/asIs`` by default.
    package var keys: Keys
    /// The format of keys of nested values; ``Nesting/brackets`` by default.
    package var nesting: Nesting
    /// The treatment of parameters without a value; ``Nils/omitted`` by default.
    package var nils: Nils
    /// The format of Booleans; ``Booleans/words`` by default.
    package var booleans: Booleans
    /// The format of dates; ``DateCoding/iso8601`` by default.
    package var dates: DateCoding
    /// The encoding of spaces; ``Spaces/automatic`` by default.
    package var spaces: Spaces
    /// Whether the brackets in names are left unencoded, for servers that require it; `false` by default.
    ///
    /// This applies only to forms. In a URL, brackets are always encoded before it is sent, according to RFC 3986 §3.4.
    package var keepsBrackets: Bool

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - arrays: The format of lists.
    ///   - keys: The style of keys.
    ///   - nesting: The format of keys of nested values.
    ///   - nils: The treatment of parameters without a value.
    ///   - booleans: The format of Booleans, in path variables too.
    ///   - dates: The format of dates, in path variables too.
    ///   - spaces: The encoding of spaces.
    ///   - keepsBrackets: Whether the brackets in names are left unencoded in forms. In a URL, they are always encoded.
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

    /// Encodes a value with keys at its top level as a query, without a question mark.
    ///
    /// - Throws: `EncodingError` with the parameter's name as its coding path if a value can't be encoded; errors of
    ///   the value itself.
    public func encode(_ value: some Encodable) throws -> String {
        var writer = ParameterWriter(self)
        try writer.append(contentsOf: value)
        return String(decoding: writer.output, as: UTF8.self)
    }

    /// Returns the text of a single value, or nil for lists, keyed values and values without a text.
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
