public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// One thing to do to the header fields of a request.
///
/// Values are plain text. A value that cannot stand in a header field (RFC 9110 §5.5: CR, LF, NUL and other control
/// characters) is refused with an error that names the field, never altered; white space around it is dropped, as any
/// recipient would. A name given as text must be a token (RFC 9110 §5.1).
public struct HeaderOperation: Sendable {
    /// Makes the value from the request as it stands; `nil` leaves the operation out for this call.
    ///
    /// It may be synchronous, and it reads the parameters of the call from the request's options.
    public typealias Value = @Sendable (_ request: Request) async throws -> String?

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
    /// Further values of the same field, which go with the first.
    private(set) var others: [HTTPField] = []
    private(set) var origin: Origin?

    /// Gives the field this value and no other.
    public static func set(_ name: HTTPField.Name, to value: String) -> HeaderOperation {
        HeaderOperation(.set, name, value)
    }

    /// Gives the field this value and no other; the name is text.
    public static func set(_ name: String, to value: String) -> HeaderOperation {
        HeaderOperation(.set, name, value)
    }

    /// Gives the field the value that is made for the call, and no other.
    public static func set(_ name: HTTPField.Name, to value: @escaping Value) -> HeaderOperation {
        HeaderOperation(.set, name, computed: value)
    }

    /// Gives the field the value that is made for the call, and no other; the name is text.
    public static func set(_ name: String, to value: @escaping Value) -> HeaderOperation {
        HeaderOperation(.set, name, computed: value)
    }

    /// Adds a value to those that the field has.
    public static func append(_ name: HTTPField.Name, _ value: String) -> HeaderOperation {
        HeaderOperation(.append, name, value)
    }

    /// Adds a value to those that the field has; the name is text.
    public static func append(_ name: String, _ value: String) -> HeaderOperation {
        HeaderOperation(.append, name, value)
    }

    /// Adds the value that is made for the call to those that the field has.
    public static func append(_ name: HTTPField.Name, _ value: @escaping Value) -> HeaderOperation {
        HeaderOperation(.append, name, computed: value)
    }

    /// Adds the value that is made for the call to those that the field has; the name is text.
    public static func append(_ name: String, _ value: @escaping Value) -> HeaderOperation {
        HeaderOperation(.append, name, computed: value)
    }

    /// Gives the field a value when it has none.
    public static func `default`(_ name: HTTPField.Name, to value: String) -> HeaderOperation {
        HeaderOperation(.setIfAbsent, name, value)
    }

    /// Gives the field a value when it has none; the name is text.
    public static func `default`(_ name: String, to value: String) -> HeaderOperation {
        HeaderOperation(.setIfAbsent, name, value)
    }

    /// Gives the field the value that is made for the call when it has none.
    ///
    /// The closure is not called when the field has a value.
    public static func `default`(_ name: HTTPField.Name, to value: @escaping Value) -> HeaderOperation {
        HeaderOperation(.setIfAbsent, name, computed: value)
    }

    /// Gives the field the value that is made for the call when it has none; the name is text.
    public static func `default`(_ name: String, to value: @escaping Value) -> HeaderOperation {
        HeaderOperation(.setIfAbsent, name, computed: value)
    }

    /// Gives the field a value made of the call's ``HeaderParameters``, and no other.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - template: The value, with `{name}` for a parameter by its name and `%%0%%` for one by its position. A call
    ///     without the parameter fails with ``HeadersError``.
    public static func set(_ name: String, template: String) -> HeaderOperation {
        .set(name, to: HeaderTemplate(template, of: name).value)
    }

    /// Gives the field a value made of the call's ``HeaderParameters`` when it has none; see ``set(_:template:)``.
    public static func `default`(_ name: String, template: String) -> HeaderOperation {
        .default(name, to: HeaderTemplate(template, of: name).value)
    }

    /// Adds a value made of the call's ``HeaderParameters`` to those that the field has; see ``set(_:template:)``.
    public static func append(_ name: String, template: String) -> HeaderOperation {
        .append(name, HeaderTemplate(template, of: name).value)
    }

    /// The operation for a field with several values, which are set or left out together.
    init(_ action: Action, _ name: String, _ values: [String]) {
        self.init(action, name, values.first ?? "")
        guard case .fixed(let first) = source else { return }
        for value in values.dropFirst() {
            do throws(HeadersError) {
                others.append(try FieldValue.field(first.name, value))
            } catch {
                source = .invalid(name: name, error.problem)
            }
        }
    }

    /// Removes the field with all its values.
    public static func remove(_ name: HTTPField.Name) -> HeaderOperation {
        HeaderOperation(action: .remove, name: name.rawName) { .removal($0) }
    }

    /// Removes the field with all its values; the name is text.
    public static func remove(_ name: String) -> HeaderOperation {
        HeaderOperation(action: .remove, name: name) { .removal($0) }
    }

    /// The same operation for requests to one origin alone, such as a key that no other server may see.
    ///
    /// The value counts as a secret: it is not shown, and the field is removed when the request is redirected to
    /// another origin. The stage must then stand inside the one that completes the request's URL.
    ///
    /// - Parameter origin: Scheme, host and port as a URL, such as `"https://api.example.com"`.
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

    /// The same operation for requests to one origin alone, as ``only(to:)-(String)`` makes it.
    public func only(to origin: URL) -> HeaderOperation {
        only(to: origin.absoluteString)
    }

    /// The field's name as it was given.
    var name: String {
        switch source {
        case .fixed(let field): field.name.rawName
        case .computed(let name, _), .removal(let name): name.rawName
        case .invalid(let name, _): name
        }
    }

    /// The problem with the operation, whatever the request.
    var problem: HeadersError.Problem? {
        if case .invalid(_, let problem) = source { problem } else { nil }
    }
}

extension HeaderOperation {
    private init(_ action: Action, _ name: HTTPField.Name, _ value: String) {
        self.init(action, name.rawName, value)
    }

    private init(_ action: Action, _ name: HTTPField.Name, computed: @escaping Value) {
        self.init(action, name.rawName, computed: computed)
    }

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

    /// Pseudo fields of HTTP/2 pass for names elsewhere and end the process in `HTTPFields`; they are refused here.
    private init(action: Action, name: String, source: (HTTPField.Name) -> Source) {
        self.action = action
        self.source = HTTPField.Name(name).map(source) ?? .invalid(name: name, .invalidName(name))
    }
}

/// The rule for values, RFC 9110 §5.5.
enum FieldValue {
    /// The field with a value that was checked.
    ///
    /// `HTTPField` itself turns characters that no value may hold into spaces.
    static func field(_ name: HTTPField.Name, _ value: String) throws(HeadersError) -> HTTPField {
        if HTTPField.isValidValue(value) { return HTTPField(name: name, value: value) }
        for (offset, byte) in value.utf8.enumerated() where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
            throw HeadersError(.invalidValue(name: name.rawName, byte: byte, offset: offset))
        }
        return HTTPField(name: name, value: value.trimming())
    }
}
