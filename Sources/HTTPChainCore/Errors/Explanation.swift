/// A text in two parts, what happened and what to do about it: logs take the first alone.
package struct Explanation: Sendable, Hashable {
    /// The sentence that says what happened, to what.
    package let reason: String
    /// Advice on what to do about it; `nil` where there is nothing to do.
    package let advice: String?

    package init(_ reason: String, _ advice: String? = nil) {
        // A name or value from outside may hold what a terminal obeys.
        self.reason = reason.printableLines
        self.advice = advice?.printableLines
    }

    /// All of it, as an error describes itself.
    package func text(of stage: String) -> String { "\(stage): \(reason)" + (advice.map { "; \($0)" } ?? "") }
}
