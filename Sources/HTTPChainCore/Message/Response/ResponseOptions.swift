/// A typed value that a stage attaches to a response for the caller and the outer stages.
public protocol ResponseOption {
    /// The type of the attached value.
    associatedtype Value: Sendable
    /// The value for a response without an attached value.
    static var defaultValue: Value { get }
}

/// The values that stages attached to a response, such as a decoded value, cache status or hops.
public struct ResponseOptions: Sendable {
    @usableFromInline var storage = OptionStorage()

    /// Makes an empty set of options.
    public init() {}

    /// The attached value, or the option's default.
    @inlinable
    public subscript<Option: ResponseOption>(_ option: Option.Type) -> Option.Value {
        get { storage.value(option, as: Option.Value.self) ?? Option.defaultValue }
        set { storage.set(newValue, for: option) }
    }

    /// Sets an option to a prepared value.
    package mutating func set(_ prepared: PreparedOption) { storage.put(prepared) }

    /// Whether a value is attached for an option.
    @inlinable
    package func contains<Option: ResponseOption>(_ option: Option.Type) -> Bool {
        storage.contains(option)
    }

    /// The names of the attached options, in the order they were first attached.
    package var names: [String] { storage.names }
}

extension ResponseOptions: NamedOptions {}
