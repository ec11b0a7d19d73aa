/// A comparison whose duration doesn't depend on where two secrets differ.
package enum ConstantTime {
    package static func isEqual<Bytes: Collection<UInt8>>(_ one: Bytes, _ other: Bytes) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
