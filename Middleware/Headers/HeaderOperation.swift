public import HTTPChainCore
public import HTTPTypes

/// A change to a request's header fields.
///
/// Values are plain text. A value that isn't allowed in a header field (RFC 9110 §5.5: CR, LF, NUL and other control
/// characters) is never altered: it throws an error that names the field. Surrounding white space is removed, because
/// any recipient would do so. A name given as text must be a token (RFC 9110 §5.1).
public struct HeaderOperation: Sendable {
    typealias Value = @Sendable (_ request: Request) async throws -> String?

    enum Action: String {
        case set, append, remove
        case setIfAbsent = "default"
    }

    enum Source {
        case fixed(HTTPField)
        case computed(HTTPField.Name, Value)
        case removal(HTTPField.Name)
        case invalid(name: String, HeadersError.Problem)
    }

    let action: Action
    private(set) var source: Source
    /// The additional values of the same field.
    private(set) var others: [HTTPField] = []
    private(set) var origin: Origin?
    /// The template of the value, if it is made from the call's parameters.
    private(set) var template: HeaderTemplate?
    /// Whether the value is made from the call's parameters.
    var readsParameters: Bool { template != nil }

    /// Sets the field to this value only.
    public static func set(_ name: HTTPField.Name, to value: String) -> HeaderOperation {
        HeaderOperation(.set, name.rawName, value)
    }

    /// Sets the field, named by text, to this value only.
    public static func set(_ name: String, to value: String) -> HeaderOperation {
        HeaderOperation(.set, name, value)
    }

    /// Sets the field to a computed value only.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Computes the value from the current request, or returns nil to skip the operation for this call.
    ///     Call-specific values can be read from the request's options.
    public static func set(
        _ name: String,
        to value: @escaping @Sendable (_ request: Request) async throws -> String?
    ) -> HeaderOperation {
        HeaderOperation(.set, name, computed: value)
    }

    /// Adds a value to the field's existing ones.
    public static func append(_ name: HTTPField.Name, _ value: String) -> HeaderOperation {
        HeaderOperation(.append, name.rawName, value)
    }

    /// Adds a value to the existing ones of the field, named by text.
    public static func append(_ name: String, _ value: String) -> HeaderOperation {
        HeaderOperation(.append, name, value)
    }

    /// Adds a computed value to the field's existing ones.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Computes the value from the current request, or returns nil to skip the operation for this call.
    public static func append(
        _ name: String,
        _ value: @escaping @Sendable (_ request: Request) async throws -> String?
    ) -> HeaderOperation {
        HeaderOperation(.append, name, computed: value)
    }

    /// Sets the field to a value if it has none.
    public static func `default`(_ name: HTTPField.Name, to value: String) -> HeaderOperation {
        HeaderOperation(.setIfAbsent, name.rawName, value)
    }

    /// Sets the field, named by text, to a value if it has none.
    public static func `default`(_ name: String, to value: String) -> HeaderOperation {
        HeaderOperation(.setIfAbsent, name, value)
    }

    /// Sets the field to a computed value if it has none.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Computes the value from the current request, or returns nil to skip the operation for this call. It
    ///     isn't called if the field has a value.
    public static func `default`(
        _ name: String,
        to value: @escaping @Sendable (_ request: Request) async throws -> String?
    ) -> HeaderOperation {
        HeaderOperation(.setIfAbsent, name, computed: value)
    }

    /// Sets the field to a value built from the call's parameters.
    ///
    /// The parameters are those of ``HTTPChainCore/Request/headerParameters(_:_:)``, and the variables of the path of a
    /// typed call or a route.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - template: The value, with `{name}` for a named parameter and `%%0%%` for a positional one. A call without
    ///     the parameter throws ``HeadersError``.
    public static func set(_ name: String, template: String) -> HeaderOperation {
        .templated(HeaderTemplate(template, of: name)) { .set(name, to: $0) }
    }

    private static func templated(_ template: HeaderTemplate, _ make: (@escaping Value) -> Self) -> HeaderOperation {
        var operation = make(template.value)
        if !template.isConstant { operation.template = template }
        return operation
    }

    /// Returns the operation for a field with several values, which are set or skipped together.
    static func several(_ action: Action, _ name: String, _ values: [String]) -> HeaderOperation {
        var operation = HeaderOperation(action, name, values.first ?? "")
        guard case .fixed(let first) = operation.source else { return operation }
        for value in values.dropFirst() {
            do throws(HeadersError) {
                operation.others.append(try FieldValue.field(first.name, value))
            } catch {
                operation.source = .invalid(name: name, error.problem)
            }
        }
        return operation
    }

    /// Removes the field with all its values.
    public static func remove(_ name: HTTPField.Name) -> HeaderOperation {
        HeaderOperation(action: .remove, name: name.rawName) { .removal($0) }
    }

    /// Removes the field, named by text, with all its values.
    public static func remove(_ name: String) -> HeaderOperation {
        HeaderOperation(action: .remove, name: name) { .removal($0) }
    }

    /// Returns the operation, limited to requests to one origin, for example for a key that no other server may
    /// receive.
    ///
    /// The value counts as a secret: it is redacted, and the field is removed if the request is redirected to another
    /// origin. The stage must be inside the one that completes the request's URL.
    ///
    /// - Parameter origin: The scheme, host and port as a URL, such as `"https://api.example.com"`.
    public func only(to origin: String) -> HeaderOperation {
        var result = self
        if let origin = Origin(origin) {
            result.origin = origin
        } else if case .invalid = source {
            return self
        } else {
            result.source = .invalid(name: name, .invalidOrigin(name: name, origin: Redaction.standard.url(origin)))
        }
        return result
    }

    /// The name of the field, as written by the caller.
    var name: String {
        switch source {
        case .fixed(let field): field.name.rawName
        case .computed(let name, _), .removal(let name): name.rawName
        case .invalid(let name, _): name
        }
    }

    /// The problem with the operation, if it doesn't depend on the request.
    var problem: HeadersError.Problem? {
        if case .invalid(_, let problem) = source { problem } else { nil }
    }
}

extension HeaderOperation {
    init(_ action: Action, _ name: String, _ value: String) {
        self.init(action: action, name: name) { checked in
            do throws(HeadersError) {
                return .fixed(try FieldValue.field(checked, value))
            } catch {
                return .invalid(name: name, error.problem)
            }
        }
    }

    private init(_ action: Action, _ name: String, computed: @escaping Value) {
        self.init(action: action, name: name) { .computed($0, computed) }
    }

    /// Rejects HTTP/2 pseudo-header fields.
    ///
    /// Their names are otherwise valid, but crash `HTTPFields`.
    private init(action: Action, name: String, source: (HTTPField.Name) -> Source) {
        self.action = action
        self.source = HTTPField.Name(name).map(source) ?? .invalid(name: name, .invalidName(name))
    }
}

/// Validates values, RFC 9110 §5.5.
enum FieldValue {
    /// Returns the field with a validated value.
    ///
    /// Without this, `HTTPField` would replace invalid characters with spaces.
    static func field(_ name: HTTPField.Name, _ value: String) throws(HeadersError) -> HTTPField {
        if HTTPField.isValidValue(value) { return HTTPField(name: name, value: value) }
        for (offset, byte) in value.utf8.enumerated() where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
            throw HeadersError(.invalidValue(name: name.rawName, byte: byte, offset: offset))
        }
        return HTTPField(name: name, value: value.trimming())
    }
}

extension HeaderOperation: EffectComparable {
    package func hasSameEffect(as other: HeaderOperation) -> Bool {
        guard action == other.action, origin == other.origin, others == other.others else { return false }
        switch (source, other.source) {
        case (.fixed(let one), .fixed(let other)): return one == other
        case (.removal(let one), .removal(let other)): return one == other
        default: return false
        }
    }
}

extension HeaderOperation: RedactedDisplay, DescribedValue {
    /// The action and the name of the field, without its value.
    package var words: String { "\(action.rawValue) \(name)" }
}
