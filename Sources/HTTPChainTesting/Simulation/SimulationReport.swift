/// The result of a run of a ``ChainSimulation``, with the rules that the chain broke.
public struct SimulationReport: Sendable, CustomStringConvertible {
    /// Something that must hold whatever fails.
    public struct Invariant: Sendable, Hashable, CustomStringConvertible {
        /// The rule, as a sentence.
        public let description: String

        /// Every call ends, once, in a result, a typed error, or `CancellationError` where it was cancelled.
        public static let outcome = Invariant(description: "a call ends in a result or a typed error")
        /// A request that is not idempotent takes effect at most once, and exactly once where its call succeeds.
        public static let effect = Invariant(description: "what is not idempotent happens at most once")
        /// No byte of one user reaches another.
        public static let otherUser = Invariant(description: "no byte of one user reaches another")
        /// No credential leaves its origin, or stands in an error.
        public static let credentialLeak = Invariant(description: "no credential leaves its origin")
        /// Content that is read to its end is a version that the server had, whole.
        public static let content = Invariant(description: "content is whole, and what the server had")
        /// A user who has changed something does not get the version before.
        public static let ownWrites = Invariant(description: "who has changed something gets it as changed")
        /// The server gets the content that a call sends, whole.
        public static let uploads = Invariant(description: "the server gets what was sent")
        /// When all calls have ended nothing waits, runs or is kept open, and the chains are gone when nobody has them.
        public static let leftovers = Invariant(description: "nothing is left when all calls have ended")
    }

    /// An invariant that did not hold.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The invariant that was broken.
        public let invariant: Invariant
        /// The number of the call, where it is known.
        public let call: Int?
        /// A description of what happened.
        public let detail: String

        /// Invariant, call and what happened.
        public var description: String {
            "\(invariant.description)\(call.map { ", call \($0)" } ?? ""): \(detail)"
        }
    }

    /// The seed that gives this run again.
    public let seed: UInt64
    /// The number of calls that were made.
    public internal(set) var calls = 0
    /// The number of calls that succeeded.
    public internal(set) var successes = 0
    /// The number of calls that were cancelled on purpose and ended so.
    public internal(set) var cancelled = 0
    /// The number of calls that failed, by the stage that their error names.
    public internal(set) var failures: [String: Int] = [:]
    /// The number of requests that reached the network.
    public internal(set) var requests = 0
    /// The number of faults that were injected, by name.
    public internal(set) var faults: [String: Int] = [:]
    /// The number of pieces of work that ran.
    public internal(set) var steps = 0
    /// One number made of everything that happened: runs of one seed and one chain have the same.
    public internal(set) var fingerprint: UInt64 = 0
    /// The rules that the chain broke; empty for a chain that is right.
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
