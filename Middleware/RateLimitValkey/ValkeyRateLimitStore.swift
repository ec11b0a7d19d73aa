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
/// All limits of a key are looked at and taken from in one step, by a script on the server and by the server's clock:
/// machines whose clocks differ still share a limit. A bucket that is full again is forgotten by the server.
///
/// **When the server is away** (no connection, no answer in time, an error), ``Absence`` decides; by default each
/// process goes on with buckets of its own. A server that comes back empty begins with full buckets.
///
/// **Cancellation.** Tokens that were taken for a call which was cancelled meanwhile are given back.
public final class ValkeyRateLimitStore: RateLimitStore {
    /// The treatment of calls while the server is away.
    public enum Absence: Sendable, Hashable {
        /// Each process keeps the limits in its own memory: all together make at most as many times the limit as there
        /// are processes.
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

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may use too.
    ///   - prefix: What the keys on the server begin with; "rate:" by default.
    ///   - absence: What happens while the server is away; each process keeps limits of its own by default.
    ///   - observer: Told of each failure of the server that a call did not see; it must return quickly.
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
                // The call has gone, and with it whoever could wait.
                client.post(TokenScript.text, keys: [prefix + key], arguments: Self.arguments(-tokens, limits))
            }
            switch answer {
            case .number(0): return .taken
            case .number(let wait) where (1...TokenScript.longestWait).contains(wait): return .wait(.microseconds(wait))
            default: throw ValkeyError(.malformedReply, server: serverName, detail: "no time to wait")
            }
        } catch let error as ValkeyError {
            if absence == .fail { throw error }
            observer?(error)
            if absence == .pass { return .taken }
            return try await local.take(tokens, of: key, limits: limits, at: now)
        }
    }

    /// Puts tokens back; those that were taken while the server was away go to the server if it is there again.
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

    private var serverName: String { "\(client.settings.host):\(client.settings.port)" }
}
#endif
