/// A typed setting that one request can carry for a stage.
///
/// ```swift
/// enum Priority: RequestOption {
///     static var defaultValue: Int { 0 }
/// }
/// request.options[Priority.self] = 5
/// ```
public protocol RequestOption {
    /// The type of the option's value.
    associatedtype Value: Sendable
    /// The value for a request that does not set the option.
    static var defaultValue: Value { get }
    /// Whether the value is a secret or grants access; such options do not survive a cross-origin hop and are never
    /// printed. `false` unless declared.
    static var isCredential: Bool { get }
}

extension RequestOption {
    /// Options are harmless unless they say otherwise.
    public static var isCredential: Bool { false }
}

/// The per-call settings of a request: how one call overrides what a stage does by default.
public struct RequestOptions: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    @usableFromInline var storage = OptionStorage()

    /// No options: every stage does what it was configured to.
    public init() {}

    /// The value of an option, or its default when the request does not set it.
    @inlinable
    public subscript<Option: RequestOption>(_ option: Option.Type) -> Option.Value {
        get { storage.value(option, as: Option.Value.self) ?? Option.defaultValue }
        set { storage.set(newValue, for: option, isCredential: Option.isCredential) }
    }

    /// Whether the request sets this option itself.
    @inlinable
    public func contains<Option: RequestOption>(_ option: Option.Type) -> Bool {
        storage.contains(option)
    }

    /// Back to the option's default.
    @inlinable
    public mutating func remove<Option: RequestOption>(_ option: Option.Type) {
        storage.remove(option)
    }

    /// Removes every option that is a credential, as a hop to another origin must.
    public mutating func removeCredentials() {
        storage.removeCredentials()
    }

    /// Whether an option that is a credential is set.
    public var hasCredentials: Bool { storage.entries.contains { $0.isCredential } }

    /// The names of the options set, in the order they were first set, for logs and traces; values are not shown.
    public var names: [String] { storage.names }

    /// The names of the options set.
    public var description: String { names.joined(separator: ", ") }

    /// The names of the options set.
    public var debugDescription: String { description }

    /// The names of the options set: values may be secrets.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
}

/// An option and its value that many requests are given: made once, and shared by all of them.
///
/// Of no generic type, so that setting it does not ask the runtime for one.
package struct PreparedOption: Sendable {
    fileprivate let key: any Any.Type
    fileprivate let box: any AnyObject & Sendable
    fileprivate let isCredential: Bool

    /// Prepares a value.
    package init<Option: RequestOption>(_ option: Option.Type, _ value: Option.Value) {
        key = option
        box = OptionBox(value)
        isCredential = Option.isCredential
    }
}

extension RequestOptions {
    /// Sets an option to a value that is prepared.
    package mutating func set(_ prepared: PreparedOption) {
        storage.put(prepared.box, for: prepared.key, isCredential: prepared.isCredential)
    }
}
