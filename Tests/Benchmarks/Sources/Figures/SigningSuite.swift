import Scenarios

extension Suite {
    /// What a signature adds to a small call, and what the verification of a signed request takes.
    static let signing = Suite(name: "signing", prefixes: ["signing"]) {
        let signatures = try SigningScenarios.signatures()
        let verification = try await SigningScenarios.verification(named: "signing.verify.hmac")
        let calls = try await Measurements.of(signatures + [verification], count: 2000, rounds: 15)
        return signatures.flatMap { calls.figures(of: $0.name, over: SigningScenarios.baseline) }
            + calls.figures(of: verification.name)
    }
}
