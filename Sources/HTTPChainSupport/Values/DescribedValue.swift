/// A value that states its description in a package requirement; outside, it is only a `CustomStringConvertible`.
package protocol DescribedValue: CustomStringConvertible {
    /// The description.
    var words: String { get }
}

extension DescribedValue {
    /// The description.
    public var description: String { words }
}

extension DescribedValue where Self: RawRepresentable, RawValue == String {
    package var words: String { rawValue }
}
