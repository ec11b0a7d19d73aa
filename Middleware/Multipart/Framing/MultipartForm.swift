import HTTPChainCore

/// Parts that are sent as one body, RFC 7578 (form data) and RFC 2046 §5.1.
///
/// A form is a value: parts are added in any order and any number, several may share a name. Nothing of it is read or
/// encoded until it is framed.
///
/// ```swift
/// var form = MultipartForm(parameters: ["title": "Holiday", "tags": "sea"])
/// form.append(contentsOf: photoURLs.map { .file("photos", $0) })
/// let response = try await chain.send(.post("https://api.example.com/albums", multipart: form))
/// ```
public struct MultipartForm: Sendable, ExpressibleByArrayLiteral {
    /// A kind of multipart body.
    public enum Kind: Sendable, Hashable {
        /// Fields of a form, each with a name, RFC 7578.
        case formData
        /// Independent parts in order, RFC 2046 §5.1.3.
        case mixed
        /// Parts that belong together, RFC 2387; the type is that of the root part: the one whose Content-ID is `start`,
        /// else the first. Parameters are further ones of the Content-Type, such as `start-info`.
        case related(type: String, start: String? = nil, parameters: [String: String] = [:])

        /// The media type without parameters, such as `multipart/form-data`.
        public var mediaType: String {
            switch self {
            case .formData: "multipart/form-data"
            case .mixed: "multipart/mixed"
            case .related: "multipart/related"
            }
        }
    }

    /// A notation of names and file names.
    public enum Notation: Sendable, Hashable {
        /// So that no server reads a delimiter in them: line breaks and quotation marks percent-encoded, NUL refused, and
        /// texts sent as they are given.
        case strict
        /// Exactly as browsers do (HTML Standard, "multipart/form-data encoding algorithm"): a NUL in a name is sent, and
        /// in texts a line break that is a lone CR or LF becomes CRLF.
        case browser
    }

    /// The kind of the body.
    public var kind: Kind
    /// The notation of names and file names; ``Notation/strict`` by default.
    public var notation = Notation.strict
    /// A boundary of one's own, checked when the form is framed; a random one when `nil`.
    public var boundary: String?
    /// The parts in the order they are sent.
    public var parts: [MultipartPart]

    /// Makes a form of parts.
    ///
    /// - Parameters:
    ///   - parts: The parts; a form without any is valid.
    ///   - kind: Form data by default.
    ///   - boundary: A boundary of one's own; a random one by default.
    public init(_ parts: [MultipartPart], kind: Kind = .formData, boundary: String? = nil) {
        self.parts = parts
        self.kind = kind
        self.boundary = boundary
    }

    /// Makes a form of plain parameters, and of parts after them.
    ///
    /// - Parameters:
    ///   - parameters: Names and texts; a name may occur again.
    ///   - parts: Files and other parts; none by default.
    ///   - boundary: A boundary of one's own; a random one by default.
    public init(
        parameters: KeyValuePairs<String, String>,
        parts: [MultipartPart] = [],
        boundary: String? = nil
    ) {
        self.init(parameters.map { .text($0.key, $0.value) } + parts, boundary: boundary)
    }

    /// Makes a form of plain parameters from a dictionary that was made at run time, in the order of their names.
    ///
    /// - Parameters:
    ///   - dictionary: Names and texts.
    ///   - parts: Files and other parts; none by default.
    ///   - boundary: A boundary of one's own; a random one by default.
    public init(dictionary: [String: String], parts: [MultipartPart] = [], boundary: String? = nil) {
        let texts = dictionary.sorted { $0.key < $1.key }.map { MultipartPart.text($0.key, $0.value) }
        self.init(texts + parts, boundary: boundary)
    }

    /// Makes form data of the parts in an array.
    public init(arrayLiteral elements: MultipartPart...) {
        self.init(elements)
    }

    /// Adds a part at the end.
    public mutating func append(_ part: MultipartPart) {
        parts.append(part)
    }

    /// Adds parts at the end.
    public mutating func append(contentsOf parts: some Sequence<MultipartPart>) {
        self.parts.append(contentsOf: parts)
    }

    /// Whether the form can be sent more than once: whether each of its parts can.
    public var isReplayable: Bool { parts.allSatisfy(\.body.isReplayable) }
}

extension MultipartForm: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind and the names of the parts, never what is in them.
    public var description: String {
        "\(kind.mediaType) of \(parts.count) \(parts.count == 1 ? "part" : "parts")\(parts.isEmpty ? "" : ": ")"
            + parts.map(\.description).joined(separator: ", ")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
