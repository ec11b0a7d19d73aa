public import HTTPChainCore

/// A test drove a stage in a way that the stage did not follow.
public struct StageHarnessError: HTTPChainError, Hashable {
    /// A reason why a script and a stage did not fit.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The stage called `next` more often than there are answers.
        case noAnswerLeft(call: Int, request: String)
        /// The script waits for a call of `next`, but the stage has finished.
        case finishedInstead(call: Int, result: String)
        /// The script waits for the stage while the stage waits for an answer.
        case unanswered(call: Int, request: String)
        /// The script waits for the stage to finish, but the stage called `next` again.
        case calledAgain(call: Int, request: String)
    }

    /// The reason why script and stage did not fit.
    public let problem: Problem

    init(_ problem: Problem) {
        self.problem = problem
    }

    /// Always "StageHarness".
    public var stage: String { "StageHarness" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        switch problem {
        case .noAnswerLeft(let call, let request):
            Explanation(
                "the stage called next \(call) \(call == 1 ? "time" : "times") (last with \(request)) "
                    + "but was given \(call - 1) \(call == 2 ? "answer" : "answers")",
                "give it one more, or find out why it calls again"
            )
        case .finishedInstead(let call, let result):
            Explanation("the test waits for call \(call) of next, but the stage finished without it: it \(result)")
        case .unanswered(let call, let request):
            Explanation(
                "the stage still waits for the answer to call \(call) of next (\(request))",
                "answer(_:) or fail(_:) it, or hold() it if it is to stay without an answer"
            )
        case .calledAgain(let call, let request):
            Explanation(
                "the test waits for the stage to finish, but the stage called next (call \(call), \(request))",
                "take the call with nextCall() and answer it"
            )
        }
    }
}
