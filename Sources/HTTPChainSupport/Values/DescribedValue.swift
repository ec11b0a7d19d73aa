/// A value that implements its description as a package requirement, so that its public interface only has
/// `CustomStringConvertible`.
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
