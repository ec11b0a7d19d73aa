public import HTTPChainCore

/// The report of a run of a ``ChainSimulation``, with the violated invariants.
public struct SimulationReport: Sendable, CustomStringConvertible, DescribedValue {
    /// An invariant that must hold regardless of failures.
    package struct Invariant: Sendable, Hashable {
        /// The rule, as a sentence.
        package let description: String

        /// Every call ends once, with a result, a typed error, or `CancellationError` if it was cancelled.
        package static let outcome = Invariant(description: "a call ends in a result or a typed error")
        /// A request that isn't idempotent takes effect at most once, and exactly once if its call succeeds.
        package static let effect = Invariant(description: "a request that is not idempotent takes effect at most once")
        /// No data of one user reaches another.
        package static let otherUser = Invariant(description: "no byte of one user reaches another")
        /// No credential is sent to another origin or included in an error.
        package static let credentialLeak = Invariant(description: "no credential leaves its origin")
        /// Content that is read to its end is a complete version that the server had.
        package static let content = Invariant(description: "content is complete, and what the server had")
        /// After changing a resource, a user doesn't get an earlier version.
        package static let ownWrites = Invariant(description: "a user who changed something gets the changed version")
        /// After a user has signed out, no later call sends a session cookie from before that.
        package static let signOut = Invariant(description: "a user who has signed out stays signed out")
        /// The server receives the complete content that a call sends.
        package static let uploads = Invariant(description: "the server gets what was sent")
        /// When all calls have ended, nothing waits, runs or stays open.
        ///
        /// The chains are deallocated when they are no longer referenced.
        package static let leftovers = Invariant(description: "nothing is left when all calls have ended")
    }

    /// A violation of an invariant.
    package struct Violation: Sendable, Hashable {
        /// The violated invariant.
        package let invariant: Invariant
        /// The number of the call, if known.
        package let call: Int?
        /// A description of what happened.
        package let detail: String

        /// The invariant, the call and what happened.
        package var description: String {
            "\(invariant.description)\(call.map { ", call \($0)" } ?? ""): \(detail)"
        }
    }

    /// The seed that reproduces this run.
    package let seed: UInt64
    /// The number of calls.
    package internal(set) var calls = 0
    /// The number of successful calls.
    package internal(set) var successes = 0
    /// The number of calls that ended with `CancellationError`.
    package internal(set) var cancelled = 0
    /// The number of failed calls, by the stage named in their error.
    package internal(set) var failures: [String: Int] = [:]
    /// The number of requests that reached the network.
    package internal(set) var requests = 0
    /// The number of injected faults, by name.
    package internal(set) var faults: [String: Int] = [:]
    /// The number of steps.
    package internal(set) var steps = 0
    /// A hash of everything that happened: equal for runs with the same seed and chain.
    package internal(set) var fingerprint: UInt64 = 0
    package internal(set) var violated: [Violation] = []

    /// The violations, each with its invariant, the call and what happened; empty for a correct chain.
    public var violations: [String] { violated.map(\.description) }

    /// The seed, the counts, and each violation on a line.
    package var words: String {
        let ended =
            "\(successes) succeeded, \(failures.values.reduce(0, +)) failed, \(cancelled) cancelled, of \(calls) calls"
        let head = "seed \(seed): \(ended); \(requests) requests, \(faults.values.reduce(0, +)) faults"
        let stages = failures.sorted { $0.key < $1.key }.map { "  \($0.value) failed in \($0.key)" }
        return ([head] + stages + violations.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension SimulationReport {
    mutating func found(_ invariant: Invariant, _ call: Int?, _ detail: String) {
        violated.append(Violation(invariant: invariant, call: call, detail: detail))
    }
}
