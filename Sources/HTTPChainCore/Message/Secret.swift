/// A password, token or key: text that does not show itself.
///
/// It prints as `<secret>`, to a mirror and a debugger's dump as well, so that it cannot slip into a log, an error or a
/// trace. Whoever needs the text asks for it by name: ``revealed``.
public struct Secret: Sendable, Hashable {
    /// The text itself, for the place that sends it.
    public let revealed: String

    /// Takes text that is a secret from here on.
    public init(_ text: String) {
        revealed = text
    }
}

/// A value of any type that does not show itself, as what an error keeps until somebody reads it.
package struct Sealed<Value: Sendable>: Sendable {
    /// The value itself.
    package let content: Value

    package init(_ content: Value) {
        self.content = content
    }
}

extension Sealed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: ExpressibleByStringLiteral {
    /// A secret that is written in the code, as in a test.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<secret>`.
    public var description: String { "<secret>" }
    /// Always `<secret>`.
    public var debugDescription: String { description }
    /// Shows nothing inside.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
