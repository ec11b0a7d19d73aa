public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
import RawStructuredFieldValues

/// A part of a message that a signature covers: a field, or a value derived from the message (RFC 9421 §2).
///
/// ```swift
/// let components: [SignatureComponent] = [
///     .method, .targetURI, .contentDigest, .field(.contentType), .field(.date).fromRequest,
/// ]
/// ```
public struct SignatureComponent: Sendable, Hashable {
    /// The parameters of the component's identifier, in serialization order.
    enum Parameter: Sendable, Hashable {
        /// `sf`: the field is parsed and serialized strictly (§2.1.1).
        case structured
        /// `key`: one member of a dictionary field (§2.1.2).
        case key(String)
        /// `bs`: the field's lines as bytes (§2.1.3).
        case binary
        /// `req`: the component is taken from the request of a response (§2.4).
        case fromRequest
        /// `name`: the name of a query parameter (§2.2.8).
        case name(String)
    }

    /// The field's name in lower case, or the name of a derived component, which begins with `@`.
    package let name: String
    private var list = ParameterList()
    var parameters: [Parameter] { list.parameters }

    /// Parameters.
    ///
    /// Lists with the same parameters in any order are equal (§2).
    private struct ParameterList: Sendable, Hashable {
        var parameters: [Parameter] = []

        static func == (one: Self, other: Self) -> Bool { Set(one.parameters) == Set(other.parameters) }

        func hash(into hasher: inout Hasher) { hasher.combine(Set(parameters)) }
    }

    init(name: String, parameters: [Parameter] = []) {
        self.name = name
        list.parameters = parameters
    }

    private func with(_ parameter: Parameter) -> SignatureComponent {
        guard !parameters.contains(parameter) else { return self }
        return SignatureComponent(name: name, parameters: parameters + [parameter])
    }

    /// Whether the component is derived from the message rather than a field.
    package var isDerived: Bool { name.utf8.first == UInt8(ascii: "@") }

    /// Whether the component is taken from the request of a response.
    package var isFromRequest: Bool { parameters.contains(.fromRequest) }
}

extension SignatureComponent {
    /// The method (RFC 9421 §2.2.1).
    public static let method = SignatureComponent(name: "@method")
    /// The whole URL (§2.2.2).
    public static let targetURI = SignatureComponent(name: "@target-uri")
    /// The host and port, without a default port (§2.2.3).
    public static let authority = SignatureComponent(name: "@authority")
    /// The scheme of the URL (§2.2.4).
    public static let scheme = SignatureComponent(name: "@scheme")
    /// The path with the query, as in the request line (§2.2.5).
    public static let requestTarget = SignatureComponent(name: "@request-target")
    /// The path (§2.2.6).
    public static let path = SignatureComponent(name: "@path")
    /// The query with its question mark (§2.2.7).
    public static let query = SignatureComponent(name: "@query")
    /// The status of a response (§2.2.9).
    public static let status = SignatureComponent(name: "@status")
    /// The `Content-Digest` field, which covers the content (RFC 9530).
    ///
    /// If a message has neither content nor this field, a signer omits the component.
    public static let contentDigest = SignatureComponent(name: "content-digest")

    /// A query parameter (RFC 9421 §2.2.8), which must not be repeated.
    ///
    /// - Parameter name: The parameter's name, without percent-encoding.
    public static func queryParameter(_ name: String) -> SignatureComponent {
        SignatureComponent(name: "@query-param", parameters: [.name(QueryParameters.encode(Array(name.utf8)))])
    }

    /// A field (§2.1).
    ///
    /// Its lines are joined by commas.
    public static func field(_ name: HTTPField.Name) -> SignatureComponent {
        SignatureComponent(name: name.canonicalName)
    }

    /// The field as a structured field (`sf`, §2.1.1).
    ///
    /// It is serialized strictly, so that intermediaries may reformat it.
    public var structured: SignatureComponent { with(.structured) }

    /// Returns a member of a dictionary field (`key`, §2.1.2).
    public func key(_ key: String) -> SignatureComponent { with(.key(key)) }

    /// The field's lines as bytes (`bs`, §2.1.3), for fields whose lines can't be joined.
    public var binary: SignatureComponent { with(.binary) }

    /// The same component, taken from a response's request (`req`, §2.4).
    public var fromRequest: SignatureComponent { with(.fromRequest) }
}

extension SignatureComponent: CustomStringConvertible, DescribedValue {
    /// The identifier in a signature base, such as `"content-digest";req`.
    package var words: String { (try? identifier()) ?? name }
}

extension SignatureComponent {
    /// The identifier as a structured item with its parameters (§2).
    var item: Item {
        var map = OrderedMap<String, RFC9651BareItem>()
        for parameter in parameters {
            switch parameter {
            case .structured: map["sf"] = .bool(true)
            case .key(let key): map["key"] = .string(key)
            case .binary: map["bs"] = .bool(true)
            case .fromRequest: map["req"] = .bool(true)
            case .name(let name): map["name"] = .string(name)
            }
        }
        return Item(bareItem: .string(name), parameters: map)
    }

    func identifier() throws(SigningError) -> String {
        do {
            var serializer = StructuredFieldValueSerializer()
            return String(decoding: try serializer.writeItemFieldValue(item), as: UTF8.self)
        } catch {
            throw SigningError(.unsupportedComponent(name, reason: "its name cannot be written in a structured field"))
        }
    }

    private static let derived: Set<String> = [
        "@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query", "@query-param",
        "@status",
    ]

    /// Parses an identifier.
    ///
    /// Throws if the component can't be signed (§2.5).
    init(_ item: Item) throws(SigningError) {
        guard case .string(let name) = item.rfc9651BareItem else {
            throw SigningError(.malformedField("Signature-Input", reason: "a component is not a string"))
        }
        func refused(_ reason: String) -> SigningError { SigningError(.unsupportedComponent(name, reason: reason)) }
        var parameters: [Parameter] = []
        for (key, value) in item.rfc9651Parameters {
            Steps.take()
            switch (key, value) {
            case ("sf", .bool(true)): parameters.append(.structured)
            case ("bs", .bool(true)): parameters.append(.binary)
            case ("req", .bool(true)): parameters.append(.fromRequest)
            case ("key", .string(let key)): parameters.append(.key(key))
            case ("name", .string(let name)): parameters.append(.name(name))
            case ("tr", _): throw refused("it belongs to the trailers (tr), which are not supported")
            default: throw refused("the parameter \(key) is unknown, or its value is invalid")
            }
        }
        self.init(name: name, parameters: parameters)
        try check()
    }

    /// Checks that the name is known and the parameters are compatible (§2.1, §2.2).
    func check() throws(SigningError) {
        func refused(_ reason: String) -> SigningError { SigningError(.unsupportedComponent(name, reason: reason)) }
        let names = parameters.filter { if case .name = $0 { true } else { false } }.count
        let isStructured = parameters.contains { if case .key = $0 { true } else { $0 == .structured } }
        let isBinary = parameters.contains(.binary)
        guard names == (name == "@query-param" ? 1 : 0) else {
            throw refused("@query-param, and no other component, must name a query parameter (name)")
        }
        guard !isStructured || !isBinary else { throw refused("it cannot be both structured and bytes") }
        if isDerived {
            guard Self.derived.contains(name) else { throw refused("the derived component is unknown") }
            guard !isStructured, !isBinary else { throw refused("only fields can be structured or bytes") }
        } else {
            guard HTTPField.Name(name)?.canonicalName == name else {
                throw refused("it is not the name of a field in lower case")
            }
        }
    }
}
