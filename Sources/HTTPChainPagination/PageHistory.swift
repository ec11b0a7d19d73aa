/// The first and the last pages read from a list, for detecting that the list repeats.
///
/// A service that ignores an unknown parameter returns the first page forever, and one that counts differently starts
/// over after its last page. Two equal pages in a row may be valid, but if the same pair occurs again, that counts as a
/// repetition.
struct PageHistory<Value: Sendable>: Sendable {
    private var first: [Value] = []
    private var last: [Value] = []

    /// Adds a page.
    ///
    /// - Returns: Whether this page and the previous one have already been read, in this order.
    mutating func repeats(with value: Value) -> Bool {
        let isRepetition =
            last.last.map { previous in
                [first, last].contains { pair in
                    pair.count == 2 && areSame(pair[1], value) && areSame(pair[0], previous)
                }
            } ?? false
        if first.count < 2 { first.append(value) }
        last = last.suffix(1) + [value]
        return isRepetition
    }
}

/// Whether two values are equal, by their own `==` or by the `==` of their parts.
///
/// Values that can't be compared count as different.
private func areSame(_ one: Any, _ other: Any, depth: Int = 0) -> Bool {
    if let one = one as? any Equatable { return one.isEqual(to: other) }
    guard type(of: one) == type(of: other), depth < 100 else { return false }
    let (left, right) = (Mirror(reflecting: one), Mirror(reflecting: other))
    switch left.displayStyle {
    case .struct, .tuple, .enum:
        // A custom mirror may omit parts that differ.
        if one is any CustomReflectable { return false }
        // An enum case without associated values has no children.
        if left.displayStyle == .enum, left.children.isEmpty { return "\(one)" == "\(other)" }
    case .collection, .optional: break
    default: return false
    }
    guard left.displayStyle == right.displayStyle, left.children.count == right.children.count else { return false }
    return zip(left.children, right.children).allSatisfy { left, right in
        left.label == right.label && areSame(left.value, right.value, depth: depth + 1)
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self).map { $0 == self } ?? false }
}
