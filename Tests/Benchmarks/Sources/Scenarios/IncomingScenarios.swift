import HTTPChainCookies
import HTTPChainCore
import HTTPChainProgress
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainStatusValidation
import HTTPChainTimeout
import HTTPTypes

/// The stages that wait for an answer, each alone on its happy path: the first answer is a 200, and it comes at once.
public enum IncomingScenarios {
    /// What the stages stand on, alone.
    public static func baseline(_ inside: Inside) -> String { "incoming\(inside.suffix).none" }

    /// What stands inside the stage that is measured.
    public enum Inside: Sendable, CaseIterable {
        /// The transport.
        case nothing
        /// A stage that sets a header field, as authentication does for every attempt: what the outer stage keeps of the
        /// request for another attempt shows in what that field costs.
        case field

        var suffix: String { self == .field ? ".field" : "" }

        var stages: [any Middleware] {
            switch self {
            case .nothing: []
            case .field: [HeaderStage(ChainScenarios.fields[0].name, ChainScenarios.fields[0].value)]
            }
        }
    }

    /// The baseline, and every stage over it.
    public static func all(_ inside: Inside) throws -> [Scenario] {
        let stages: [(String, [any Middleware])] = [
            ("none", []),
            ("validation", [StatusValidationMiddleware()]),
            ("redirect", [RedirectMiddleware()]),
            ("cookies", [CookieMiddleware()]),
            ("retry", [RetryMiddleware()]),
            ("progress", [ProgressMiddleware()]),
            ("progress.wire", [ProgressMiddleware(.wire, countsUploadsAsRead: true)]),
            ("timeout.off", [TimeoutMiddleware(nil)]),
            ("timeout.call", [TimeoutMiddleware(.seconds(60))]),
            (
                "timeout.both",
                [TimeoutMiddleware(.seconds(60)), AttemptTimeoutMiddleware()]
            ),
        ]
        return try stages.map { name, stages in
            let chain = try Chain(stages + inside.stages, transport: CannedTransport())
            let template = ChainScenarios.request()
            return Scenario(name: "incoming\(inside.suffix).\(name)") { count in
                for _ in 0..<count {
                    _ = try await chain.send(template)
                }
            }
        }
    }
}
