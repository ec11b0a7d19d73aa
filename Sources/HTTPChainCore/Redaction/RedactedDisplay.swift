/// A value that may contain secrets, and is shown only by its description, from which they are removed: by `print`, as
/// part of another value, by a debugger and by `dump`.
package protocol RedactedDisplay: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedDisplay {
    /// The same as the description.
    public var debugDescription: String { description }
    /// A mirror without parts, because they may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
