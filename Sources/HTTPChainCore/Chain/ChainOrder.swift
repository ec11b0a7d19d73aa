/// The place of a stage in a chain that is being built.
public struct ChainPlace: Sendable {
    /// The stages outside it, outermost first.
    public let outside: [any Middleware]
    /// The stages between it and the transport, outermost first.
    public let inside: [any Middleware]
    /// The stages of the chains nested in the transport, outermost first; empty if the transport isn't a chain.
    package let nested: [any Middleware]
    /// The combined capabilities of the inner stages and the transport.
    public let capabilities: TransportCapabilities
    /// The transport's name.
    package let transportName: String
    /// Whether the transport is itself a chain, whose stages aren't part of `inside`.
    package let isOverChain: Bool
}

/// A problem with a chain, and how to fix it.
public struct ChainProblem: Sendable, Hashable, CustomStringConvertible {
    /// The severity of a problem.
    public enum Severity: Sendable, Hashable {
        /// The chain is not built.
        case error
        /// The chain is built; ``Chain/warnings`` and ``Chain/explain()`` show the problem.
        case warning
    }

    /// The stage that has the problem.
    package let stage: String
    /// The problem.
    package let problem: String
    /// The fix for the problem.
    package let fix: String
    /// The severity of the problem.
    package let severity: Severity

    /// Makes a description of a problem.
    ///
    /// - Parameters:
    ///   - stage: The stage that has the problem.
    ///   - problem: The problem.
    ///   - fix: The fix for the problem.
    ///   - severity: The severity of the problem. Defaults to `.error`.
    public init(stage: String, problem: String, fix: String, severity: Severity = .error) {
        self.stage = stage
        self.problem = problem
        self.fix = fix
        self.severity = severity
    }

    /// The problem and its fix, in one sentence.
    public var description: String { "\(problem); \(fix)" }
}

/// An error thrown if stages can't form a chain: their order is wrong, or they conflict.
public struct ChainOrderError: ExplainedError, Hashable {
    /// All problems, outermost stage first.
    public let problems: [ChainProblem]

    /// Always "Chain".
    package var failedStage: String { "Chain" }

    package var explanation: Explanation {
        Explanation(problems.map(\.problem).joined(separator: "; "), problems.map(\.fix).joined(separator: "; "))
    }

    /// Every problem with its fix, and how to disable the check.
    public var description: String {
        "\(stage): " + problems.map(\.description).joined(separator: "\n  ")
            + "\n  (Chain(transport:order: .unchecked) builds it without this check)"
    }
}

/// Whether a chain checks the order of its stages when it is built.
public enum OrderCheck: Sendable, Hashable {
    /// A wrong order throws a ``ChainOrderError``.
    case checked
    /// The order isn't checked.
    case unchecked
}

enum ChainOrder {
    static func problems(of stages: [any Middleware], over transport: any Transport) -> [ChainProblem] {
        let capabilities = capabilities(of: stages, over: transport)
        return stages.indices.flatMap { index -> [ChainProblem] in
            let stage = stages[index]
            let inner = capabilities[index + 1]
            let place = ChainPlace(
                outside: Array(stages[..<index]),
                inside: Array(stages[(index + 1)...]),
                nested: Chain.stages(in: transport),
                capabilities: inner,
                transportName: transport.name,
                isOverChain: transport is Chain
            )
            return misplaced(stage, at: place) + clashes(of: stage, at: place)
                + ((stage as? any ChainAwareMiddleware)?.problems(at: place) ?? [])
        }
    }

    /// Returns the capabilities available at each place in the chain.
    ///
    /// Element `n` has those of stage `n` and everything inside it, as stage `n - 1` sees them.
    static func capabilities(of stages: [any Middleware], over transport: any Transport) -> [TransportCapabilities] {
        var result = [transport.capabilities]
        for stage in stages.reversed() {
            let inner = result[result.count - 1]
            var outer = (stage as? any ChainAwareMiddleware)?.capabilities(over: inner) ?? inner
            if !stage.keepsItsDeadlines { outer.remove(.keepsDeadlines) }
            result.append(outer)
        }
        return result.reversed()
    }

    /// Reports a stage if one of a later phase is outside it.
    ///
    /// Names the outermost such stage, because the reported stage has to move outside it.
    private static func misplaced(_ stage: any Middleware, at place: ChainPlace) -> [ChainProblem] {
        let phase = stage.phase
        guard let other = place.outside.first(where: { phase.isOutside($0.phase) }) else { return [] }
        let name = stage.summary.name
        let otherName = other.summary.name
        return [
            ChainProblem(
                stage: name,
                problem: "\(name) must be outside \(otherName): \(phase.reason)",
                fix: "move it above \(otherName)"
            )
        ]
    }

    /// Reports a stage that has no effect, because the transport already does its work.
    private static func clashes(of stage: any Middleware, at place: ChainPlace) -> [ChainProblem] {
        let name = stage.summary.name
        func clash(_ what: String, _ fix: String) -> [ChainProblem] {
            [ChainProblem(stage: name, problem: "\(name) has no effect: \(place.transportName) \(what)", fix: fix)]
        }
        switch stage.phase {
        case .redirect where place.capabilities.contains(.followsRedirects):
            return clash("follows redirects itself", "switch that off in the transport, or remove the stage")
        case .cache where place.capabilities.contains(.caches):
            return clash("caches responses itself", "switch that off in the transport, or remove the stage")
        default:
            return []
        }
    }
}
