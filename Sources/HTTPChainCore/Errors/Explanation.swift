/// A text with two parts: what happened, and how to fix it; logs only use the first.
package struct Explanation: Sendable, Hashable {
    /// What happened and to what, in one sentence.
    package let reason: String
    /// Advice on how to fix it, or `nil` if there is none.
    package let advice: String?

    package init(_ reason: String, _ advice: String? = nil) {
        // Names and values from outside the program may contain terminal control sequences.
        self.reason = reason.printableLines
        self.advice = advice?.printableLines
    }

    /// The complete text, as in an error's description.
    package func text(of stage: String) -> String { "\(stage): \(reason)" + (advice.map { "; \($0)" } ?? "") }
}
