import HTTPChainCore
import HTTPTypes

/// The settings of a retry stage.
///
/// They are shared, so that they add no cost per call.
final class RetrySettings: Sendable {
    let policy: RetryPolicy
    let budget: RetryBudget?
    let keyedMethods: Set<HTTPRequest.Method>
    let drainLimit: ByteCount
    let observer: (@Sendable (RetryEvent) -> Void)?

    init(
        policy: RetryPolicy,
        budget: RetryBudget?,
        keyedMethods: Set<HTTPRequest.Method>,
        drainLimit: ByteCount,
        observer: (@Sendable (RetryEvent) -> Void)?
    ) {
        self.policy = policy
        self.budget = budget
        self.keyedMethods = keyedMethods
        self.drainLimit = drainLimit
        self.observer = observer
    }

    /// Returns the settings with the policy of one call.
    func with(_ policy: RetryPolicy) -> RetrySettings {
        RetrySettings(
            policy: policy,
            budget: budget,
            keyedMethods: keyedMethods,
            drainLimit: drainLimit,
            observer: observer
        )
    }

    /// Returns whether a first response is the result, and there is no observer or verdict to call.
    func isResult(_ response: borrowing Response) -> Bool {
        observer == nil && policy.verdict == nil && !policy.statuses.contains(response.head.status.code)
    }

    /// Returns whether to add an `Idempotency-Key` to a request.
    func makesKey(for request: borrowing Request) -> Bool {
        if keyedMethods.isEmpty, !request.options.contains(IdempotencyKeyOption.self) { return false }
        let method = request.head.method
        return !method.isIdempotent
            && request.options[IdempotencyKeyOption.self].applied(to: keyedMethods.contains(method)) ?? false
            && request.head.headerFields[.idempotencyKey] == nil
    }

    /// The methods that get a key, for display.
    var keyedMethodNames: String {
        keyedMethods.isEmpty ? "no" : keyedMethods.map(\.rawValue).sorted().joined(separator: ", ")
    }
}
