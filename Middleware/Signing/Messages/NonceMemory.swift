public import Foundation
import HTTPChainSupport

/// Remembers the nonces of signatures, so that a message that somebody sends again is found out (RFC 9421 §7.2.2).
///
/// A nonce is remembered as long as its signature is accepted. When so many are remembered that there is no room, the
/// next message is refused: to forget one would let it be sent again.
public final class NonceMemory: Sendable {
    private struct Key: Hashable {
        let keyID: String?
        let nonce: String
    }

    private struct State {
        var ends: [Key: Date] = [:]
        var lastSweep = Date.distantPast
    }

    /// The largest number of nonces that are remembered.
    public let limit: Int
    private let state = Locked(State())

    /// Makes a memory.
    ///
    /// - Parameter limit: How many nonces to remember at most; 100,000 by default.
    public init(limit: Int = 100_000) {
        self.limit = max(1, limit)
    }

    /// The number of nonces that are remembered, those included whose time is over.
    public var count: Int { state.withLock { $0.ends.count } }

    /// Remembers a nonce.
    ///
    /// - Parameters:
    ///   - nonce: The nonce.
    ///   - keyID: The key that it was signed with.
    ///   - end: Up to when its signature is accepted.
    ///   - now: The time.
    /// - Throws: ``SigningError/Problem/replayed(nonce:)`` when it is known;
    ///   ``SigningError/Problem/tooManyNonces(limit:)``.
    public func note(_ nonce: String, by keyID: String?, until end: Date, now: Date) throws(SigningError) {
        let key = Key(keyID: keyID, nonce: nonce)
        let problem = state.withLock { state -> SigningError.Problem? in
            if let known = state.ends[key], known >= now { return .replayed(nonce: nonce) }
            // At most once a second, so that a full memory is not swept for each message.
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
