import HTTPChainSupport

/// A value that can be compared with another by its effect, although it isn't `Equatable`.
package protocol EffectComparable {
    /// Whether both values have the same effect; `false` if that is unknown, as for closures.
    func hasSameEffect(as other: Self) -> Bool
}

extension Array: EffectComparable where Element: EffectComparable {
    package func hasSameEffect(as other: [Element]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.hasSameEffect(as: $1) }
    }
}

/// The options of a request that may affect its response, for comparison with other requests.
///
/// Two values are equal if inner stages can't tell the requests apart by their options. Values that complete the URL
/// are compared by ``RequestIdentity``.
package struct OptionEffects: Equatable, Sendable {
    private var options: RequestOptions

    package init(of options: RequestOptions) {
        self.options = options
        self.options.identity = nil
        self.options.storage.keep { key in
            (key as? any RequestOption.Type)?.affectsResponse ?? false && !(key is any TargetOption.Type)
        }
    }

    package static func == (one: OptionEffects, other: OptionEffects) -> Bool {
        one.isCovered(by: other) && other.isCovered(by: one)
    }

    private func isCovered(by other: OptionEffects) -> Bool {
        options.storage.entries.allSatisfy { entry in
            (entry.key as? any RequestOption.Type).map { hasSame($0, as: other) } ?? false
        }
    }

    private func hasSame<Option: RequestOption>(_ option: Option.Type, as other: OptionEffects) -> Bool {
        let (one, other) = (options, other.options)
        if let box = one.storage.box(option, as: Option.Value.self),
            box === other.storage.box(option, as: Option.Value.self)
        {
            return true
        }
        return Self.haveSameEffect(one[option], other[option])
    }

    private static func haveSameEffect(_ one: Any, _ other: Any) -> Bool {
        switch (wrapped(one), wrapped(other)) {
        case (nil, nil): return true
        // Strings that are canonically equal may have different bytes.
        case (let one as String, let other as String): return one.hasSameBytes(as: other)
        case (let one as any EffectComparable, let other?): return isSame(one, other)
        case (let one as any Equatable, let other?): return isEqual(one, other)
        case (let one as any Any.Type, let other as any Any.Type): return one == other
        case (let one?, let other?):
            guard type(of: one) is AnyClass, type(of: other) is AnyClass else { return false }
            return (one as AnyObject) === (other as AnyObject)
        default: return false
        }
    }

    private static func isSame<Value: EffectComparable>(_ one: Value, _ other: Any) -> Bool {
        (other as? Value).map { one.hasSameEffect(as: $0) } ?? false
    }

    private static func isEqual<Value: Equatable>(_ one: Value, _ other: Any) -> Bool { other as? Value == one }

    /// Returns the value inside nested optionals, or `nil` if it is nil at any depth.
    private static func wrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalValue else { return value }
        return optional.value.flatMap(wrapped)
    }
}

private protocol OptionalValue {
    var value: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var value: Any? { self }
}
