/// What happened and what to do about it, written side by side and told apart: logs take the first alone.
package struct Explanation: Sendable, Hashable {
    /// What happened, to what.
    package let reason: String
    /// What to do about it; `nil` where there is nothing to do.
    package let advice: String?

    package init(_ reason: String, _ advice: String? = nil) {
        self.reason = reason
        self.advice = advice
    }

    /// All of it, as an error describes itself.
    package func text(of stage: String) -> String { "\(stage): \(reason)" + (advice.map { "; \($0)" } ?? "") }
}
