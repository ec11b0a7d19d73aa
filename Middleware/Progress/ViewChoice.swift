/// Chooses the one view that is shown where there is room for one: the consumer's, unless only the wire's comes.
struct ViewChoice: Sendable {
    private var hasConsumer = false

    mutating func admits(_ view: TransferProgress.View) -> Bool {
        if view == .consumer { hasConsumer = true }
        return view == .consumer || !hasConsumer
    }
}
