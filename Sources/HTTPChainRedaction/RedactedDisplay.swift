/// A value that may contain secrets.
///
/// It is shown only by its description, from which secrets are removed, by `print`, as part of another value, by a
/// debugger and by `dump`.
package protocol RedactedDisplay: CustomStringConvertible, CustomReflectable {}

extension RedactedDisplay {
    /// A mirror without parts, because they may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
