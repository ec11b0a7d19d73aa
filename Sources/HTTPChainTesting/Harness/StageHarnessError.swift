package import HTTPChainCore

/// An error thrown if a stage doesn't follow a test's script.
package struct StageHarnessError: ExplainedError, Hashable {
    /// A mismatch between a script and a stage.
    package enum Problem: Sendable, Hashable {
        /// The stage called `next` more times than there are answers.
        case noAnswerLeft(call: Int, request: String)
        /// The script is waiting for a call to `next`, but the stage has finished.
        case finishedInstead(call: Int, result: String)
        /// The script is waiting for the stage, which is waiting for an answer.
        case unanswered(call: Int, request: String)
        /// The script is waiting for the stage to finish, but the stage called `next` again.
        case calledAgain(call: Int, request: String)
    }

    /// The mismatch between script and stage.
    package let problem: Problem

    init(_ problem: Problem) {
        self.problem = problem
    }

    package var failedStage: String { "StageHarness" }

    package var explanation: Explanation {
        switch problem {
        case .noAnswerLeft(let call, let request):
            Explanation(
                "the stage called next \(call) \(call == 1 ? "time" : "times") (last with \(request)) "
                    + "but was given \(call - 1) \(call == 2 ? "response" : "responses")",
                "give it another, or find out why it calls again"
            )
        case .finishedInstead(let call, let result):
            Explanation("the test waits for call \(call) of next, but the stage finished without it: it \(result)")
        case .unanswered(let call, let request):
            Explanation(
                "the stage is still waiting for the response to call \(call) of next (\(request))",
                "answer(_:) or fail(_:) it, or hold() it if it stays without a response"
            )
        case .calledAgain(let call, let request):
            Explanation(
                "the test waits for the stage to finish, but the stage called next (call \(call), \(request))",
                "take the call with nextCall() and answer it"
            )
        }
    }
}
