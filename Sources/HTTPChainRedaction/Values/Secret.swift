/// A password, token or key, whose text isn't printed.
///
/// It prints as `<secret>`, even in mirrors and debugger dumps, so that it can't leak into a log, an error or a trace.
/// Access the text explicitly with ``revealed``.
public struct Secret: Sendable, Hashable {
    /// The text, for the code that sends it.
    public let revealed: String

    /// Makes a secret from text.
    public init(_ text: String) {
        revealed = text
    }
}

/// A value of any type that isn't printed, such as data kept by an error.
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
    /// Makes a secret from a literal, for example in a test.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Secret: RedactedDisplay {
    /// Always `<secret>`.
    public var description: String { "<secret>" }
}
