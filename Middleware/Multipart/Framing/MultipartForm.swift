public import HTTPChainCore

/// Parts that are sent as a single body, RFC 7578 (form data) and RFC 2046 §5.1.
///
/// A form is a value type. Any number of parts can be added in any order, and several may share a name. Nothing is read
/// or encoded until the form is framed.
///
/// ```swift
/// var form = MultipartForm(parameters: ["title": "Holiday", "tags": "sea"])
/// form.parts += photoURLs.map { .file("photos", $0) }
/// let response = try await chain.send(.post("https://api.example.com/albums", multipart: form))
/// ```
public struct MultipartForm: Sendable, ExpressibleByArrayLiteral {
    /// A kind of multipart body.
    public enum Kind: Sendable, Hashable {
        /// Fields of a form, each with a name, RFC 7578.
        case formData
        /// Independent parts in order, RFC 2046 §5.1.3.
        case mixed
        /// Related parts, RFC 2387.
        ///
        /// The type is that of the root part, which is the part whose Content-ID is `start`, or otherwise the first.
        /// `parameters` are additional ones of the Content-Type, such as `start-info`.
        case related(type: String, start: String? = nil, parameters: [String: String] = [:])

        /// The media type without parameters, such as `multipart/form-data`.
        package var mediaType: String {
            switch self {
            case .formData: "multipart/form-data"
            case .mixed: "multipart/mixed"
            case .related: "multipart/related"
            }
        }
    }

    /// The kind of the body.
    package var kind: Kind
    /// A custom boundary, validated when the form is framed; `nil` for a random one.
    package var boundary: String?
    /// The parts, in order.
    public var parts: [MultipartPart]

    /// Makes a form from parts.
    ///
    /// - Parameters:
    ///   - parts: The parts; a form without parts is valid.
    ///   - kind: The kind; form data by default.
    ///   - boundary: A custom boundary; a random one by default.
    public init(_ parts: [MultipartPart], kind: Kind = .formData, boundary: String? = nil) {
        self.parts = parts
        self.kind = kind
        self.boundary = boundary
    }

    /// Makes a form from plain parameters, followed by other parts.
    ///
    /// - Parameters:
    ///   - parameters: The names and texts. Names may be repeated.
    ///   - parts: Files and other parts; none by default.
    ///   - boundary: A custom boundary; a random one by default.
    public init(
        parameters: KeyValuePairs<String, String>,
        parts: [MultipartPart] = [],
        boundary: String? = nil
    ) {
        self.init(parameters.map { .text($0.key, $0.value) } + parts, boundary: boundary)
    }

    /// Makes form data from the parts in an array.
    public init(arrayLiteral elements: MultipartPart...) {
        self.init(elements)
    }

    /// Whether the form can be sent more than once, which requires that all parts can.
    package var isReplayable: Bool { parts.allSatisfy(\.body.isReplayable) }
}

extension MultipartForm: CustomStringConvertible, DescribedValue {
    /// The kind and the names of the parts, without their contents.
    package var words: String {
        "\(kind.mediaType) of \(parts.count) \(parts.count == 1 ? "part" : "parts")\(parts.isEmpty ? "" : ": ")"
            + parts.map(\.description).joined(separator: ", ")
    }
}
