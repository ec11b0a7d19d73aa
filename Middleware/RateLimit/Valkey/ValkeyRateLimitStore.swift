#if Valkey
import HTTPChainCore
public import HTTPChainRateLimit
public import HTTPChainValkey

/// Token buckets in Valkey or Redis, for limits that are shared by all machines that use the same server.
///
/// ```swift
/// let client = ValkeyClient(ValkeySettings(host: "valkey.internal"))
/// let limiter = RateLimiter(
///     [RateLimit(100, per: .seconds(1))],
///     store: ValkeyRateLimitStore(client, prefix: "orders:rate:")
/// )
/// ```
///
/// A script on the server checks and takes from all limits of a key atomically. It uses the server's clock, so machines
/// whose clocks differ can share a limit. The server removes full buckets.
///
/// **Unreachable server.** If the server is unreachable (no connection, no reply in time, an error), ``Absence``
/// applies. By default, each process uses its own buckets. A server that has lost its data starts with full buckets.
///
/// **Cancellation.** Tokens taken for a call that was cancelled in the meantime are returned.
public final class ValkeyRateLimitStore: RateLimitStore {
    /// The treatment of calls while the server is unreachable.
    public enum Absence: Sendable, Hashable {
        /// Each process applies the limits in its own memory.
        ///
        /// Together, the processes allow at most the limit times their number.
        case local
        /// Every call is admitted.
        case pass
        /// Every call fails with ``/HTTPChainValkey/ValkeyError``.
        case fail
    }

    private let client: ValkeyClient
    private let prefix: String
    private let absence: Absence
    private let local: InMemoryRateLimitStore
    private let observer: (@Sendable (any Error) -> Void)?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may share.
    ///   - prefix: The prefix of the keys on the server; "rate:" by default.
    ///   - absence: The treatment of calls while the server is unreachable. By default, each process applies the limits
    ///     in its own memory.
    ///   - observer: Receives each failure of the server that doesn't cause a call to fail. It must return quickly.
    public init(
        _ client: ValkeyClient,
        prefix: String = "rate:",
        whenAway absence: Absence = .local,
        observer: (@Sendable (any Error) -> Void)? = nil
    ) {
        self.client = client
        self.prefix = prefix
        self.absence = absence
        self.observer = observer
        local = InMemoryRateLimitStore()
    }

    /// Takes tokens; see ``/HTTPChainRateLimit/RateLimitStore/take(_:of:limits:at:)``.
    ///
    /// - Throws: `CancellationError`; ``/HTTPChainValkey/ValkeyError`` with ``Absence/fail``.
    public func take(
        _ tokens: Int,
        of key: String,
        limits: [RateLimit],
        at now: Duration
    ) async throws -> RateLimitAnswer {
        guard tokens > 0, !limits.isEmpty else { return .taken }
        do {
            let answer = try await client.run(
                TokenScript.text,
                keys: [prefix + key],
                arguments: Self.arguments(tokens, limits)
            ) { [client, prefix] answer in
                guard case .number(0) = answer else { return }
                // The call has ended, so it can't wait for this request.
                client.post(TokenScript.text, keys: [prefix + key], arguments: Self.arguments(-tokens, limits))
            }
            switch answer {
            case .number(0): return .taken
            case .number(let wait) where (1...TokenScript.longestWait).contains(wait): return .wait(.microseconds(wait))
            default: throw ValkeyError(.malformedReply, server: client.server, detail: "no time to wait")
            }
        } catch let error as ValkeyError {
            if absence == .fail { throw error }
            observer?(error)
            if absence == .pass { return .taken }
            return try await local.take(tokens, of: key, limits: limits, at: now)
        }
    }

    /// Returns tokens.
    ///
    /// If the server is reachable again, it also receives tokens that were taken while it was unreachable.
    public func giveBack(_ tokens: Int, of key: String, limits: [RateLimit], at now: Duration) async throws {
        guard tokens > 0, !limits.isEmpty else { return }
        do {
            _ = try await client.run(
                TokenScript.text,
                keys: [prefix + key],
                arguments: Self.arguments(-tokens, limits)
            )
        } catch let error as ValkeyError {
            if absence == .fail { throw error }
            observer?(error)
            if absence == .local { try await local.giveBack(tokens, of: key, limits: limits, at: now) }
        }
    }

    private static func arguments(_ tokens: Int, _ limits: [RateLimit]) -> [String] {
        ["\(tokens)"]
            + limits.flatMap { limit in
                let period = limit.period / .microseconds(1)
                let field = "\(limit.count)/\(period)/\(limit.burst)"
                return [field, "\(period / Double(limit.count))", "\(limit.burst)"]
            }
    }
}
#endif
