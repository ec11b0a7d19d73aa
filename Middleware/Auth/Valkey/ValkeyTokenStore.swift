#if Valkey
import Foundation
public import HTTPChainAuth
public import HTTPChainCore
import HTTPChainSupport
public import HTTPChainValkey

/// Stores a token in Valkey or Redis, shared by several machines.
///
/// One of them refreshes the token, and the others use the new one.
///
/// ```swift
/// let client = ValkeyClient(ValkeySettings(host: "valkey.internal"))
/// let store = ValkeyTokenStore(client, named: "garden", key: key)
/// let token = try await store.token()
/// let chain = try Chain(transport: transport) {
///     BearerAuthMiddleware(
///         .refreshToken(at: endpoint),
///         for: "https://api.example.com",
///         token: token,
///         saving: store
///     )
/// }
/// ```
///
/// **Refreshes.** If a token has expired or was rejected, a machine looks for a newer one in the store. If there is
/// none, the machine locks the token, refreshes it and stores the new one, while the others wait. The lock is a lease:
/// if the machine dies, another one refreshes the token when the lease has ended. If a refresh takes longer than the
/// lease, another machine may refresh the token too, and the first token that is stored is kept.
///
/// **Encryption.** The token is encrypted with AES-256 in GCM (NIST SP 800-38D), under a key derived from the
/// application's (HKDF, RFC 5869), and bound to its name. The name is an HMAC. A value that can't be decrypted is
/// reported to the observer, and replaced by the next refresh.
///
/// **An unreachable server.** Without the server, nothing is refreshed, because two machines with the same refresh
/// token may both lose their access. A token that is still valid is sent. Other calls fail with
/// ``/HTTPChainValkey/ValkeyError`` as the cause. A token that was fetched but couldn't be stored is kept in memory,
/// and stored before the next call uses it.
///
/// **Sign-out.** `removeToken()` removes the token from the store, and a refresh in flight doesn't store another. A
/// machine that has the token in memory uses it until it expires or is rejected.
public final class ValkeyTokenStore: TokenStore, BuiltInTokenStore {
    /// The allowed range of leases: 10 milliseconds to an hour.
    private static let leases = Duration.milliseconds(10)...Duration.seconds(3600)
    /// The time for which a sign-out is recorded; it is longer than any refresh takes.
    private static let signOutRecord = leases.upperBound
    /// The intervals for polling a token that another machine is refreshing.
    private static let backoff = Backoff(base: .milliseconds(40), cap: .milliseconds(320))

    private let client: ValkeyClient
    private let name: String
    private let lease: Duration
    private let cipher: TokenCipher
    /// The name of the token on the server.
    private let key: String
    /// The names of the token, of its lock, and of its last sign-out.
    private var keys: [String] { [key, key + ":lock", key + ":signed-out"] }
    private let observer: (@Sendable (any Error) -> Void)?

    /// Creates a store for one token.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may share.
    ///   - name: The name of the token, the same on all machines: a service, or a service and an account.
    ///   - prefix: The prefix of the keys on the server; "token:" by default.
    ///   - key: The key that encrypts the token, the same on all machines.
    ///   - lease: The time after which another machine refreshes the token if the first one has died. It must be longer
    ///     than any refresh takes. 30 seconds by default; from 10 milliseconds to an hour.
    ///   - observer: A closure that receives ``ValkeyTokenStoreError/Problem/unreadable`` if a refresh ignores a stored
    ///     value. It must return quickly.
    public init(
        _ client: ValkeyClient,
        named name: String,
        prefix: String = "token:",
        key: EncryptionKey,
        lease: Duration = .seconds(30),
        observer: (@Sendable (any Error) -> Void)? = nil
    ) {
        self.client = client
        self.name = name
        self.lease = min(max(lease, Self.leases.lowerBound), Self.leases.upperBound)
        self.observer = observer
        cipher = TokenCipher(key)
        // The braces make a cluster store the three keys in the same slot.
        self.key = "\(prefix){\(cipher.name(name))}"
    }

    /// Returns the stored token, or `nil` if there is none.
    ///
    /// - Throws: ``ValkeyTokenStoreError``; ``/HTTPChainValkey/ValkeyError``; `CancellationError`.
    package func storedToken() async throws -> AccessToken? {
        guard let sealed = try await client.send(ValkeyCommand(["GET", key])).data else { return nil }
        guard let token = cipher.open(sealed, as: key) else { throw failure(.unreadable) }
        return token
    }

    /// Stores a token, replacing the previous one and the result of a refresh in flight.
    ///
    /// - Throws: ``/HTTPChainValkey/ValkeyError``; `CancellationError`.
    package func store(_ token: AccessToken) async throws {
        let sealed = try cipher.seal(token, as: key)
        _ = try await client.run(TokenScripts.save, keys: keys.map { Array($0.utf8) }, arguments: [sealed])
    }

    /// Removes the token; a refresh in flight doesn't store another.
    ///
    /// - Throws: ``/HTTPChainValkey/ValkeyError``; `CancellationError`.
    package func clear() async throws {
        let arguments = [Self.randomName(), Self.milliseconds(of: Self.signOutRecord)]
        _ = try await client.run(TokenScripts.remove, keys: keys, arguments: arguments)
    }

    /// Returns the token that another machine has stored, or fetches one while the other machines wait.
    ///
    /// - Throws: Rethrows the closure's error; ``ValkeyTokenStoreError`` if other machines have been refreshing the token
    ///   for longer than two leases; ``/HTTPChainValkey/ValkeyError``; `CancellationError`.
    public func refresh(
        replacing old: AccessToken?,
        in environment: ChainEnvironment,
        by fetch: @Sendable (_ old: AccessToken?) async throws -> AccessToken
    ) async throws -> RefreshedToken? {
        let owner = Self.randomName()
        var (attempts, waited) = (0, Duration.zero)
        while true {
            let claim = try await claim(as: owner)
            let stored = opened(claim.sealed, isToBeReplaced: claim.isClaimed)
            if let stored, isNewer(stored, than: old, at: environment) {
                if claim.isClaimed { release(owner) }
                return RefreshedToken(stored, isSaved: true)
            }
            if claim.isClaimed { return try await fetched(replacing: stored ?? old, claim, as: owner, by: fetch) }
            guard waited < lease * 2 else { throw failure(.refreshedElsewhere(waited)) }
            attempts += 1
            let wait = Self.backoff.wait(beforeRetry: attempts, times: 0.5...1, random: environment.random)
            try await environment.time.sleep(for: wait)
            waited += wait
        }
    }
}

extension ValkeyTokenStore {
    /// Returns a name that is unique to a refresh or sign-out, even if two machines use the same random numbers for
    /// their calls.
    private static func randomName() -> String {
        var numbers = SystemRandomNumberGenerator()
        return numbers.next().hexadecimal + numbers.next().hexadecimal
    }

    private static func milliseconds(of duration: Duration) -> String { "\(Int64(duration / .milliseconds(1)))" }

    /// The values on the server at the beginning of a refresh.
    private struct Claim {
        let sealed: [UInt8]?
        /// Whether the lock is now the owner's.
        let isClaimed: Bool
        let signOut: [UInt8]?
    }

    private func claim(as owner: String) async throws -> Claim {
        let reply: RESPValue
        do {
            reply = try await client.run(
                TokenScripts.claim,
                keys: keys,
                arguments: [owner, Self.milliseconds(of: lease)]
            ) { [self] _ in release(owner) }
        } catch let error as ValkeyError {
            // This store may have the lock, although the reply is late or lost.
            release(owner)
            throw error
        }
        guard case .list(let values) = reply, values.count == 3, case .number(let claimed) = values[1],
            values[0] == .null || values[0].data != nil, values[2] == .null || values[2].data != nil
        else {
            let server = "\(client.settings.host):\(client.settings.port)"
            throw ValkeyError(.malformedReply, server: server, detail: "no token and lock")
        }
        return Claim(sealed: values[0].data, isClaimed: claimed == 1, signOut: values[2].data)
    }

    /// Releases the lock without waiting for it; if the command is lost, the lock expires.
    private func release(_ owner: String) {
        client.post(TokenScripts.release, keys: keys, arguments: [owner])
    }

    /// Fetches a token under the lock, and stores it.
    ///
    /// - Parameter claim: The values on the server when the lock was claimed.
    private func fetched(
        replacing old: AccessToken?,
        _ claim: Claim,
        as owner: String,
        by fetch: @Sendable (AccessToken?) async throws -> AccessToken
    ) async throws -> RefreshedToken? {
        let token: AccessToken
        do {
            token = try await fetch(old)
        } catch {
            release(owner)
            throw error
        }
        let new: [UInt8]
        let reply: RESPValue
        do {
            new = try cipher.seal(token, as: key)
            // Runs even if the call is cancelled: the server may accept the previous refresh token only once.
            reply = try await client.run(
                TokenScripts.finish,
                keys: keys.map { Array($0.utf8) },
                arguments: [Array(owner.utf8), claim.sealed ?? [], new, claim.signOut ?? []],
                isToEnd: true
            )
        } catch {
            // Marked as unsaved, so that it is saved again before it is used.
            release(owner)
            return RefreshedToken(token, isSaved: false)
        }
        if reply == .null { return nil }
        if reply.data == new { return RefreshedToken(token, isSaved: true) }
        guard let other = opened(reply.data, isToBeReplaced: true) else { return RefreshedToken(token, isSaved: false) }
        return RefreshedToken(other, isSaved: true)
    }

    private func opened(_ sealed: [UInt8]?, isToBeReplaced: Bool) -> AccessToken? {
        guard let sealed else { return nil }
        let token = cipher.open(sealed, as: key)
        if token == nil, isToBeReplaced { observer?(failure(.unreadable)) }
        return token
    }

    /// Whether a stored token can be used instead of one that has expired or was rejected.
    private func isNewer(_ stored: AccessToken, than old: AccessToken?, at environment: ChainEnvironment) -> Bool {
        guard stored.isWellFormed, !stored.hasExpired(at: environment.time.date) else { return false }
        guard let old, stored.value == old.value else { return true }
        // A server may extend the lifetime of a token. The tolerance of a second exceeds the precision that a date
        // loses when stored.
        guard let later = stored.expiration, let earlier = old.expiration else { return false }
        return later > earlier.addingTimeInterval(1)
    }

    private func failure(_ problem: ValkeyTokenStoreError.Problem) -> ValkeyTokenStoreError {
        ValkeyTokenStoreError(problem: problem, name: name)
    }
}
#endif
