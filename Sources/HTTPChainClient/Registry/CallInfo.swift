public import HTTPChainCore

/// Names one running call of a registry; no two calls of one registry have the same.
public struct CallID: Sendable, Hashable, CustomStringConvertible {
    let number: UInt64
    /// Where the registry has the call.
    let slot: Int

    /// The number, as logs show it.
    public var description: String { "\(number)" }
}

/// A description of one running call, by which calls are chosen.
public struct CallInfo: Sendable {
    /// The call's name in its registry.
    public let id: CallID
    /// The value that the call was made from, such as a typed request; `nil` for a request made by hand.
    public let value: (any Sendable)?
    /// The key that the caller gave the call; `nil` unless it was given.
    public let key: (any Hashable & Sendable)?
    /// The words that the call was marked with.
    public let tags: Set<String>

    /// Whether the call was made from a value of a type.
    ///
    /// - Parameter type: A request type, a class that it inherits from, or a protocol (`(any ShopRequest).self`).
    public func isMade<Value>(from type: Value.Type) -> Bool { value is Value }

    /// Whether the call's key is of a type.
    public func hasKey<Key>(of type: Key.Type) -> Bool { key is Key }
}

/// The settings of a call for the registry that it passes.
public struct CallRegistration: RequestOption, Sendable {
    /// The key of the call, which the caller chooses.
    public var key: (any Hashable & Sendable)?
    /// Words to find the call by.
    public var tags: Set<String> = []
    /// Whether the call is refused while another with its key, or without a key with its value, is running.
    public var excludesDuplicates = false

    /// Makes the registration of a call that has no key and no tags and is never refused.
    public init() {}

    /// No key, no tags, never refused.
    public static var defaultValue: CallRegistration { CallRegistration() }
}

extension Request {
    /// The request with a key, by which its call can be found in a ``CallRegistry``.
    ///
    /// - Parameter key: Any hashable value of yours.
    public consuming func callKey(_ key: some Hashable & Sendable) -> Request {
        options[CallRegistration.self].key = key
        return self
    }

    /// The request with more tags, by which its call can be found in a ``CallRegistry``.
    public consuming func callTags(_ tags: String...) -> Request {
        options[CallRegistration.self].tags.formUnion(tags)
        return self
    }

    /// The request, refused with ``DuplicateCallError`` while a call with the same key is running; without a key, one
    /// made from an equal value.
    ///
    /// A call with neither a key nor a value that is `Hashable` fails with ``CallIdentityError``.
    public consuming func excludingDuplicateCalls() -> Request {
        options[CallRegistration.self].excludesDuplicates = true
        return self
    }
}

/// A call was refused because the same call was running already.
///
/// ``CallOutcome`` tells it as `.cancelled(duplicate: true)`.
public struct DuplicateCallError: HTTPChainError {
    /// The call that was running.
    public let running: CallID
    /// Whether the calls have the same key; otherwise they were made from equal values.
    public let isByKey: Bool

    /// Always "CallRegistry".
    public var stage: String { "CallRegistry" }

    /// The call that was running.
    public var reason: String {
        "call \(running), which was made \(isByKey ? "with the same key" : "from an equal value"), has not ended"
    }

    /// To wait for it or to cancel it.
    public var recoverySuggestion: String? {
        "wait for that call, cancel it first, or do not exclude duplicates"
    }
}

/// A call that excludes duplicates was refused because nothing tells which calls are its duplicates.
///
/// It has no key, and its value isn't `Hashable`.
public struct CallIdentityError: HTTPChainError, Hashable {
    /// The type of the value that the call was made from; `nil` for a request made by hand.
    public let valueType: String?

    /// Always "CallRegistry".
    public var stage: String { "CallRegistry" }

    /// What the call lacks.
    public var reason: String {
        let value = valueType.map { "its value's type, \($0), isn't Hashable" } ?? "it was made from no value"
        return "a call excludes duplicates, but has no key, and \(value)"
    }

    /// To give it a key, or to make the type `Hashable`.
    public var recoverySuggestion: String? {
        let key = "give the call a key, with key(_:) or callKey(_:)"
        return valueType.map { "\(key), or make \($0) Hashable" } ?? key
    }
}
