#if Valkey
import HTTPChainCore
public import HTTPChainRateLimit
public import HTTPChainValkey

/// Token buckets in Valkey or Redis: one limit for all machines that use the same server.
///
/// ```swift
/// let client = ValkeyClient(ValkeySettings(host: "valkey.internal"))
/// let limiter = RateLimiter(
///     [RateLimit(100, per: .seconds(1))],
///     store: ValkeyRateLimitStore(client, prefix: "orders:rate:")
/// )
/// ```
///
/// A script on the server checks and takes from all limits of a key atomically, by the server's clock, so machines
/// whose clocks differ can share a limit. The server removes full buckets.
///
/// **When the server is unreachable** (no connection, no reply in time, an error), ``Absence`` applies; by default,
/// each process uses its own buckets. A server that comes back empty starts with full buckets.
///
/// **Cancellation.** Tokens taken for a call that was cancelled in the meantime are returned.
public final class ValkeyRateLimitStore: RateLimitStore {
    /// The treatment of calls while the server is unreachable.
    public enum Absence: Sendable, Hashable {
        /// Each process applies the limits in its own memory.
        ///
        /// Together they allow at most the limit times the number of processes.
        case local
        /// Every call passes.
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
    ///   - absence: The behaviour while the server is unreachable; each process applies its own limits by default.
    ///   - observer: Receives each failure of the server that doesn't fail a call. It must return quickly.
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
    /// - Throws: `CancellationError`; with ``Absence/fail`` ``/HTTPChainValkey/ValkeyError``.
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
                // The call has ended, so it can't wait for this.
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
    /// If the server is back, tokens that were taken while it was unreachable are returned to it.
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
