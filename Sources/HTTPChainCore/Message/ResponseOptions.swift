/// A typed value that a stage attaches to a response for the caller and for the stages outside it.
public protocol ResponseOption {
    /// The type of the value that is attached.
    associatedtype Value: Sendable
    /// The value for a response to which nothing was attached.
    static var defaultValue: Value { get }
}

/// The values that stages attached to a response: a decoded value, cache status, hops.
public struct ResponseOptions: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    @usableFromInline var storage = OptionStorage()

    /// Nothing attached.
    public init() {}

    /// The attached value, or the option's default.
    @inlinable
    public subscript<Option: ResponseOption>(_ option: Option.Type) -> Option.Value {
        get { storage.value(option, as: Option.Value.self) ?? Option.defaultValue }
        set { storage.set(newValue, for: option) }
    }

    /// Whether something was attached under an option.
    @inlinable
    public func contains<Option: ResponseOption>(_ option: Option.Type) -> Bool {
        storage.contains(option)
    }

    /// The names of what is attached, in the order it was attached.
    public var names: [String] { storage.names }

    /// The names of what is attached.
    public var description: String { names.joined(separator: ", ") }

    /// The names of what is attached.
    public var debugDescription: String { description }

    /// The names of what is attached: values may be secrets.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
}
