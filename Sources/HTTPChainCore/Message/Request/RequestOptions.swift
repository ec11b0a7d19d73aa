/// A typed, per-request setting for a stage.
///
/// ```swift
/// enum Priority: RequestOption {
///     static var defaultValue: Int { 0 }
/// }
/// request.options[Priority.self] = 5
/// ```
///
/// An option that nothing reads has no effect, so a chain refuses a request with such an option, unless the value is
/// harmless. The stage that reads the option names it in ``Middleware/optionsRead``.
public protocol RequestOption: SendableMetatype {
    /// The type of the option's value.
    associatedtype Value: Sendable
    /// The value for a request that doesn't set the option.
    static var defaultValue: Value { get }
    /// Whether the value is a secret or grants access.
    ///
    /// Such options are removed on a cross-origin hop and never printed. Defaults to `false`.
    static var isCredential: Bool { get }
    /// Returns whether the value has the same meaning in a chain in which nothing reads the option, as `.retry(.never)`
    /// has in a chain without retries.
    ///
    /// For any other value such a chain throws ``UnreadOptionError``. Defaults to `false` for every value.
    static func isHarmless(_ value: Value) -> Bool
    /// The expression by which a caller sets the option, and the stage that reads it, for ``UnreadOptionError``; defaults
    /// to the name of the type.
    static var usage: OptionUsage { get }
    /// Whether the value may affect what is sent or received, such as a limit, a policy or a credential.
    ///
    /// Calls share a transfer only if their values of such options are equal; values that aren't `Equatable` count as
    /// different. Return `false` for an option that only describes or observes the call, such as tags. Defaults to
    /// `true`.
    static var affectsResponse: Bool { get }
}

extension RequestOption {
    /// The default value, `false`.
    public static var isCredential: Bool { false }
    /// The default for every value, `false`.
    public static func isHarmless(_ value: Value) -> Bool { false }
    /// The name of the type.
    public static var usage: OptionUsage { OptionUsage("options[\(Self.self).self]") }
    /// The default value, `true`.
    public static var affectsResponse: Bool { true }
}

/// The per-call options of a request, which override the defaults of stages.
public struct RequestOptions: Sendable {
    @usableFromInline var storage = OptionStorage()
    /// The users of the call; stored separately, because an option would allocate two objects for each call.
    var identity: CallIdentity?

    /// Makes an empty set of options: every stage behaves as configured.
    public init() {}

    /// The value of an option, or its default if the request doesn't set it.
    @inlinable
    public subscript<Option: RequestOption>(_ option: Option.Type) -> Option.Value {
        get { storage.value(option, as: Option.Value.self) ?? Option.defaultValue }
        set {
            storage.set(
                newValue,
                for: option,
                isCredential: Option.isCredential,
                isHarmless: Option.isHarmless(newValue)
            )
        }
    }

    /// Whether the request sets this option itself.
    @inlinable
    public func contains<Option: RequestOption>(_ option: Option.Type) -> Bool {
        storage.contains(option)
    }

    /// Resets the option to its default.
    @inlinable
    public mutating func remove<Option: RequestOption>(_ option: Option.Type) {
        storage.remove(option)
    }

    /// Removes every option that is a credential, as required for a hop to another origin.
    package mutating func removeCredentials() {
        storage.removeCredentials()
    }

    /// Whether any option that is a credential is set.
    package var hasCredentials: Bool { storage.contains(where: \.isCredential) }

    /// The names of the options set, in the order they were first set, for logs and traces; omits the values.
    package var names: [String] { storage.names }
}

/// An option and its value, created once and shared by many requests or responses.
///
/// Not generic, so that setting it doesn't need runtime type metadata.
package struct PreparedOption: Sendable {
    fileprivate let key: any Any.Type
    fileprivate let box: any AnyObject & Sendable
    fileprivate let isCredential: Bool
    fileprivate let isHarmless: Bool

    /// Prepares a value.
    package init<Option: RequestOption>(_ option: Option.Type, _ value: Option.Value) {
        (key, box) = (option, OptionBox(value))
        (isCredential, isHarmless) = (Option.isCredential, Option.isHarmless(value))
    }

    /// Prepares a value for responses.
    package init<Option: ResponseOption>(_ option: Option.Type, _ value: Option.Value) {
        (key, box) = (option, OptionBox(value))
        (isCredential, isHarmless) = (false, true)
    }
}

extension OptionStorage {
    mutating func put(_ prepared: PreparedOption) {
        put(prepared.box, for: prepared.key, isCredential: prepared.isCredential, isHarmless: prepared.isHarmless)
    }
}

extension RequestOptions {
    /// Sets an option to a prepared value.
    package mutating func set(_ prepared: PreparedOption) { storage.put(prepared) }
}

/// An option by which a stage, a transport or a client informs another one about a call.
///
/// Callers don't set it to change the call, so it is harmless if nothing reads it.
package protocol RequestNote: RequestOption {}

extension RequestNote {
    /// Always `true`.
    public static func isHarmless(_ value: Value) -> Bool { true }
}

/// An option with a value that a caller may wait for, such as a sequence of reports.
package protocol AwaitedOption: RequestOption {
    /// Ends the wait of each caller whose value nothing has read.
    static func endUnread(_ value: Value)
}

extension RequestOptions {
    /// Notes that a caller may wait for the value of an ``AwaitedOption``.
    package mutating func markAwaited() { storage.isAwaited = true }

    /// Ends the waits of callers for values that nothing has read, because nothing will read them.
    package func endUnreadWaits() {
        guard storage.isAwaited else { return }
        for entry in storage.entries { (entry.key as? any AwaitedOption.Type).map { endUnread($0) } }
    }

    private func endUnread<Option: AwaitedOption>(_ option: Option.Type) { Option.endUnread(self[option]) }
}

/// Options, shown only by their names, because their values may be secrets.
package protocol NamedOptions: CustomStringConvertible, CustomReflectable {
    /// The names of the options, in the order they were first set.
    var names: [String] { get }
}

extension NamedOptions {
    /// The names of the options.
    public var description: String { names.joined(separator: ", ") }
    /// The names of the options; omits the values.
    public var customMirror: Mirror { Mirror(self, children: ["names": names], displayStyle: .struct) }
}

extension RequestOptions: NamedOptions {}
