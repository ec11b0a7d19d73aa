public import HTTPChainCore

/// The identifier of a running call, unique within its registry.
public struct CallID: Sendable, Hashable {
    let number: UInt64
    /// The call's slot in the registry.
    let slot: Int
}

/// A description of a running call, used to select calls.
public struct CallInfo: Sendable {
    /// The call's identifier in its registry.
    public let id: CallID
    /// The value that the call was made from, such as a typed request; `nil` for a raw request.
    public let value: (any Sendable)?
    /// The key that the caller gave the call, or `nil` if there is none.
    public let key: (any Hashable & Sendable)?
    /// The call's tags.
    public let tags: Set<String>

    /// Whether the call was made from a value of a type.
    ///
    /// - Parameter type: A request type, its superclass, or a protocol (`(any ShopRequest).self`).
    package func isMade<Value>(from type: Value.Type) -> Bool { value is Value }
}

/// The settings of a call for its registry.
package struct CallRegistration: Sendable {
    /// The key of the call, chosen by the caller.
    package var key: (any Hashable & Sendable)?
    /// The call's tags.
    package var tags: Set<String> = []
    /// Whether the call is refused while a duplicate is running: another call with the same key or, if it has no key,
    /// with an equal value.
    package var excludesDuplicates = false

    /// Creates a registration without a key or tags that allows duplicates.
    package init() {}
}

/// The request option with a call's ``CallRegistration``.
package enum CallRegistrationOption: RequestOption {
    /// A registration without a key or tags that allows duplicates.
    package static var defaultValue: CallRegistration { CallRegistration() }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(
            ".callDuplicates(false)",
            reader: "CallRegistryMiddleware(…)",
            phase: .call
        )
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        !value.excludesDuplicates
    }
    /// Always `false`: it only describes the call.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// Returns the request with a key, by which its call can be found in a ``CallRegistry``.
    ///
    /// - Parameter key: Any hashable value.
    public consuming func callKey(_ key: some Hashable & Sendable) -> Request {
        options[CallRegistrationOption.self].key = key
        return self
    }

    /// Returns the request with more tags, by which its call can be found in a ``CallRegistry``.
    public consuming func callTags(_ tags: String...) -> Request {
        options[CallRegistrationOption.self].tags.formUnion(tags)
        return self
    }

    /// Returns the request with duplicates of its call allowed or refused.
    ///
    /// If they are refused, the call fails with ``DuplicateCallError`` while a call with the same key is running. If it
    /// has no key, calls made from an equal value are duplicates.
    ///
    /// A call with neither a key nor a `Hashable` value fails with ``CallIdentityError``.
    public consuming func callDuplicates(_ areAllowed: Bool) -> Request {
        options[CallRegistrationOption.self].excludesDuplicates = !areAllowed
        return self
    }
}

/// An error of a ``CallRegistry``.
package protocol RegistryError: ExplainedError {}

extension RegistryError {
    /// Always "CallRegistry".
    package var failedStage: String { "CallRegistry" }
}

/// An error for a call refused because the same call was already running.
///
/// ``CallOutcome`` reports it as `.cancelled(duplicate: true)`.
public struct DuplicateCallError: RegistryError {
    /// The running call.
    package let running: CallID
    /// Whether the calls have the same key; otherwise they were made from equal values.
    package let isByKey: Bool

    package var explanation: Explanation {
        Explanation(
            "call \(running.number), made \(isByKey ? "with the same key" : "from an equal value"), is still running",
            "wait for that call, cancel it first, or allow duplicates"
        )
    }
}

/// An error for a call that excludes duplicates without a way to identify them.
///
/// The call has no key, and its value isn't `Hashable`.
public struct CallIdentityError: RegistryError, Hashable {
    /// The type of the value that the call was made from; `nil` for a raw request.
    package let valueType: String?

    package var explanation: Explanation {
        let value = valueType.map { "its value's type, \($0), isn't Hashable" } ?? "it was not made from a value"
        let key = "give the call a key, with key(_:) or callKey(_:)"
        return Explanation(
            "a call excludes duplicates, but has no key, and \(value)",
            valueType.map { "\(key), or make \($0) Hashable" } ?? key
        )
    }
}

extension CallID: CustomStringConvertible, DescribedValue {
    /// The number, as shown in logs.
    package var words: String { "\(number)" }
}
