extension RetryBudget {
    /// Adds the tokens of one call, unless an outer stage with the same budget already did so.
    ///
    /// - Parameter request: The call, which is marked as counted for inner stages.
    package func countCall(_ request: inout Request) {
        if isShared {
            if request.options[CountedBudgetNote.self] === self { return }
            request.options.set(PreparedOption(CountedBudgetNote.self, self))
        }
        countCall()
    }
}

/// The budget that has already counted the call.
private enum CountedBudgetNote: RequestNote {
    static var defaultValue: RetryBudget? { nil }
}

/// A stage that retries requests within a budget.
///
/// Stages use this to detect whether they share one.
package protocol BudgetedMiddleware: Middleware {
    /// The retry budget, or `nil` if there is none.
    var retryBudget: RetryBudget? { get }
}
