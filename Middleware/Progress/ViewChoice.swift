/// Chooses the view to show if only one can be shown: the consumer's, or the wire's if there is no other.
package struct ViewChoice: Sendable {
    private var hasConsumer = false

    package init() {}

    package mutating func admits(_ view: TransferProgress.View) -> Bool {
        if view == .consumer { hasConsumer = true }
        return view == .consumer || !hasConsumer
    }
}
