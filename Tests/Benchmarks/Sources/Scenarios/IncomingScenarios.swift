public import HTTPChainCore
import HTTPChainProgress
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainStatusValidation
import HTTPChainTimeout
import HTTPTypes

/// The stages that wait for an answer, each alone on its happy path: the first answer is a 200, and it comes at once.
///
/// Inside each stands one stage that sets a header field, as authentication does for every attempt: what a stage keeps of
/// the request for another attempt shows in what that field costs.
public enum IncomingScenarios {
    /// The stage that sets a field, alone.
    public static let baseline = "incoming.none"

    /// The baseline, and every stage over it.
    public static func all() throws -> [Scenario] {
        [
            try scenario(baseline, []),
            try scenario("incoming.validation", [StatusValidationMiddleware()]),
            try scenario("incoming.redirect", [RedirectMiddleware()]),
            try scenario("incoming.retry", [RetryMiddleware()]),
            try scenario("incoming.progress", [ProgressMiddleware()]),
            try scenario("incoming.progress.wire", [ProgressMiddleware(.wire, uploads: .asRead)]),
            try scenario("incoming.timeout.off", [TimeoutMiddleware(nil)]),
            try scenario("incoming.timeout.call", [TimeoutMiddleware(.seconds(60))]),
            try scenario(
                "incoming.timeout.both",
                [TimeoutMiddleware(.seconds(60)), AttemptTimeoutMiddleware(.seconds(10), idle: .seconds(5))]
            ),
        ]
    }

    private static func scenario(_ name: String, _ stages: [any Middleware]) throws -> Scenario {
        let field = ChainScenarios.fields[0]
        let chain = try Chain(stages + [HeaderStage(field.name, field.value)], transport: CannedTransport())
        let template = ChainScenarios.request()
        return Scenario(name: name) { count in
            for _ in 0..<count {
                _ = try await chain.send(template)
            }
        }
    }
}
