/// A call's choice for a setting of a stage: the stage's own value, none, or another value.
///
/// ```swift
/// enum CallQuality: RequestOption {
///     static var defaultValue: CallSetting<Double> { .standard }
/// }
/// let quality = request.options[CallQuality.self].applied(to: 0.8)   // of a stage with the setting 0.8
/// ```
public enum CallSetting<Value: Sendable>: Sendable {
    /// The stage's own setting.
    case standard
    /// No setting: the feature is off for the call.
    case off
    /// This value, instead of the stage's.
    case value(Value)

    /// Makes a setting from a value, or ``off`` from `nil`.
    package init(_ value: Value?) {
        self = value.map(CallSetting.value) ?? .off
    }

    /// Whether a chain without the stage may ignore the setting.
    @inlinable
    package var needsNoStage: Bool { if case .value = self { false } else { true } }

    /// Returns the value that applies to the call, or `nil` if it is off.
    ///
    /// - Parameter standard: The stage's own setting; `nil` if it has none.
    @inlinable
    public func applied(to standard: Value?) -> Value? {
        switch self {
        case .standard: standard
        case .off: nil
        case .value(let value): value
        }
    }
}

extension CallSetting: Equatable where Value: Equatable {}

extension CallSetting: Hashable where Value: Hashable {}

extension CallSetting: EffectComparable where Value: EffectComparable {
    package func hasSameEffect(as other: CallSetting) -> Bool {
        switch (self, other) {
        case (.standard, .standard), (.off, .off): true
        case (.value(let one), .value(let other)): one.hasSameEffect(as: other)
        default: false
        }
    }
}

/// A value that can leave a setting to the stage, as a ``CallSetting`` does.
@usableFromInline
package protocol StageOverride: Sendable {
    /// The stage's own setting.
    static var standard: Self { get }
    /// Whether a chain without the stage may ignore the value.
    var needsNoStage: Bool { get }
}

extension CallSetting: StageOverride {}

extension RequestOption where Value: StageOverride {
    /// The stage's own setting.
    @inlinable
    package static var defaultValue: Value { .standard }
    /// Returns whether a chain without the stage may ignore the value.
    @inlinable
    package static func isHarmless(_ value: Value) -> Bool { value.needsNoStage }
}
