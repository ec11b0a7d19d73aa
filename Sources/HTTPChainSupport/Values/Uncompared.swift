/// A value that is ignored when its container is compared, such as the text that belongs to a name.
package struct Uncompared<Value: Sendable>: Sendable, Hashable {
    /// The value itself.
    package let content: Value

    package init(_ content: Value) {
        self.content = content
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
