/// Detects when the last reference to it is released.
package final class Lifeline: Sendable {
    private let onRelease: @Sendable () -> Void

    package init(_ onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit { onRelease() }
}
