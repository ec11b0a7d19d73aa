/// The pages that a list began with and those that were read last, for noticing that it goes round in circles.
///
/// A service that does not know a parameter returns the first page for ever, and one that counts differently begins anew
/// after its last page. Two equal pages, one after the other, may be what the list holds; the same two again are not
/// taken for that.
struct PageHistory<Value: Sendable>: Sendable {
    private var first: [Value] = []
    private var last: [Value] = []

    /// Adds a page.
    ///
    /// - Returns: Whether it and the one before it were read before, in this order.
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

/// Whether two values are equal: by their `==`, or by that of their parts.
///
/// Of values that cannot be compared nobody knows; they count as different.
private func areSame(_ one: Any, _ other: Any, depth: Int = 0) -> Bool {
    if let one = one as? any Equatable { return one.isEqual(to: other) }
    guard type(of: one) == type(of: other), depth < 100 else { return false }
    let (left, right) = (Mirror(reflecting: one), Mirror(reflecting: other))
    switch left.displayStyle {
    case .struct, .tuple, .enum:
        // A mirror that the type has made may leave out what differs.
        if one is any CustomReflectable { return false }
        // The cases of an enum without values have no parts.
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
