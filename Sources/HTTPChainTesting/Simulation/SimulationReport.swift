/// The report of a run of a ``ChainSimulation``, with the violated invariants.
public struct SimulationReport: Sendable, CustomStringConvertible {
    /// An invariant that must hold regardless of failures.
    public struct Invariant: Sendable, Hashable, CustomStringConvertible {
        /// The rule, as a sentence.
        public let description: String

        /// Every call ends once, with a result, a typed error, or `CancellationError` if it was cancelled.
        public static let outcome = Invariant(description: "a call ends in a result or a typed error")
        /// A request that isn't idempotent takes effect at most once, and exactly once if its call succeeds.
        public static let effect = Invariant(description: "a request that is not idempotent takes effect at most once")
        /// No data of one user reaches another.
        public static let otherUser = Invariant(description: "no byte of one user reaches another")
        /// No credential is sent to another origin or included in an error.
        public static let credentialLeak = Invariant(description: "no credential leaves its origin")
        /// Content that is read to its end is a complete version that the server had.
        public static let content = Invariant(description: "content is complete, and what the server had")
        /// After changing a resource, a user doesn't get an earlier version.
        public static let ownWrites = Invariant(description: "a user who changed something gets the changed version")
        /// After a user has signed out, no later call sends a session cookie from before it.
        public static let signOut = Invariant(description: "a user who has signed out stays signed out")
        /// The server receives the complete content that a call sends.
        public static let uploads = Invariant(description: "the server gets what was sent")
        /// When all calls have ended, nothing waits, runs or stays open, and the chains are deallocated when
        /// unreferenced.
        public static let leftovers = Invariant(description: "nothing is left when all calls have ended")
    }

    /// A violation of an invariant.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The violated invariant.
        public let invariant: Invariant
        /// The number of the call, if known.
        public let call: Int?
        /// A description of what happened.
        public let detail: String

        /// The invariant, the call and what happened.
        public var description: String {
            "\(invariant.description)\(call.map { ", call \($0)" } ?? ""): \(detail)"
        }
    }

    /// The seed that reproduces this run.
    public let seed: UInt64
    /// The number of calls.
    public internal(set) var calls = 0
    /// The number of successful calls.
    public internal(set) var successes = 0
    /// The number of calls that ended with `CancellationError`.
    public internal(set) var cancelled = 0
    /// The number of failed calls, by the stage named in their error.
    public internal(set) var failures: [String: Int] = [:]
    /// The number of requests that reached the network.
    package internal(set) var requests = 0
    /// The number of injected faults, by name.
    package internal(set) var faults: [String: Int] = [:]
    /// The number of steps.
    package internal(set) var steps = 0
    /// A hash of everything that happened: equal for runs with the same seed and chain.
    package internal(set) var fingerprint: UInt64 = 0
    /// The violations; empty for a correct chain.
    public internal(set) var violations: [Violation] = []

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The seed, the counts, and each violation on a line.
    public var description: String {
        let ended =
            "\(successes) succeeded, \(failures.values.reduce(0, +)) failed, \(cancelled) cancelled, of \(calls) calls"
        let head = "seed \(seed): \(ended); \(requests) requests, \(faults.values.reduce(0, +)) faults"
        let stages = failures.sorted { $0.key < $1.key }.map { "  \($0.value) failed in \($0.key)" }
        return ([head] + stages + violations.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension SimulationReport {
    mutating func found(_ invariant: Invariant, _ call: Int?, _ detail: String) {
        violations.append(Violation(invariant: invariant, call: call, detail: detail))
    }
}
