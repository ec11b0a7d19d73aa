package import Foundation
import HTTPChainSupport

/// Stores the nonces of signatures, to detect replayed messages (RFC 9421 §7.2.2).
///
/// A nonce is stored for as long as its signature would be accepted. If the memory is full, the next message is
/// refused, because removing a nonce would allow a replay.
public final class NonceMemory: Sendable {
    private struct Key: Hashable {
        let keyID: String?
        let nonce: String
    }

    private struct State {
        var ends: [Key: Date] = [:]
        var lastSweep = Date.distantPast
    }

    /// The maximum number of nonces.
    package let limit: Int
    private let state = Locked(State())

    /// Makes a memory.
    ///
    /// - Parameter limit: The maximum number of nonces. Defaults to 100,000.
    public init(limit: Int = 100_000) {
        self.limit = max(1, limit)
    }

    /// The number of nonces in memory, including expired ones.
    package var count: Int { state.withLock { $0.ends.count } }

    /// Stores a nonce.
    ///
    /// - Parameters:
    ///   - nonce: The nonce.
    ///   - keyID: The identifier of the signature's key.
    ///   - end: The time until which its signature is accepted.
    ///   - now: The current time.
    /// - Throws: ``SigningError/Problem/replayed(nonce:)`` if it is already in memory;
    ///   ``SigningError/Problem/tooManyNonces(limit:)``.
    package func note(_ nonce: String, by keyID: String?, until end: Date, now: Date) throws(SigningError) {
        let key = Key(keyID: keyID, nonce: nonce)
        let problem = state.withLock { state -> SigningError.Problem? in
            if let known = state.ends[key], known >= now { return .replayed(nonce: nonce) }
            // Expired nonces are removed at most once a second, so that this isn't done for each message if the memory
            // is full.
            if state.ends.count >= limit, now.timeIntervalSince(state.lastSweep) >= 1 {
                state.ends = state.ends.filter { $0.value >= now }
                state.lastSweep = now
            }
            guard state.ends.count < limit else { return .tooManyNonces(limit: limit) }
            state.ends[key] = end
            return nil
        }
        if let problem { throw SigningError(problem) }
    }
}
