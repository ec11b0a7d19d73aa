import HTTPChainAuth
import HTTPChainCore

/// The values that one answer is computed from.
struct DigestInput: Sendable {
    let space: ProtectionSpace
    let credential: Credential
    let use: DigestNonces.Use
}

/// The protection spaces that a client knows, up to a limit: the one that was not used for longest goes first.
final class DigestSpaces: Sendable {
    /// One protection space.
    struct Known: Sendable {
        let space: ProtectionSpace
        var challenge: DigestChallenge
        var credential: Credential
        var key: DigestKey
        var domain: DigestDomain
        /// Where the server asked.
        var path: String
        /// Whether the server accepted the credential: only then it is sent without being asked for, so that a wrong
        /// one is not tried again and again.
        var isProven = false
        var nonces = DigestNonces()

        /// Takes what a new challenge says; what is known of the nonces stays.
        mutating func take(_ new: Known) {
            if key != new.key {
                isProven = false
                nonces.endSessions()
            }
            (challenge, credential, key, domain, path) = (new.challenge, new.credential, new.key, new.domain, new.path)
        }
    }

    private struct Server: Sendable, Hashable {
        let origin: Origin
        let target: AuthenticationTarget
    }

    /// The one used last stands at the end.
    private let known = Locked<[Known]>([])
    /// The strongest algorithms that servers and proxies have accepted, MD5 aside; kept by origin, because the realm is
    /// whatever a challenge says, and longer than the spaces.
    private let algorithms = Locked<[Server: DigestAlgorithm]>([:])
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The space that a request belongs to, as far as can be told without asking the server: of several that cover it
    /// the one with the longest path in its `domain`, then the one that asked nearest to it, then the one used last.
    func covering(_ path: String, at origin: Origin, _ target: AuthenticationTarget) -> Known? {
        known.withLock { known in
            var best: Known?
            var bestFit = (coverage: -1, nearness: -1)
            for candidate in known.reversed() where candidate.isProven && candidate.space.target == target {
                guard let coverage = candidate.domain.coverage(of: path, at: origin) else { continue }
                let fit = (coverage, Self.commonDepth(path, candidate.path))
                if fit > bestFit { (best, bestFit) = (candidate, fit) }
            }
            return best
        }
    }

    /// How many slashes two paths have in common from the beginning.
    private static func commonDepth(_ one: String, _ other: String) -> Int {
        zip(one.utf8, other.utf8).prefix { $0 == $1 && $0 != UInt8(ascii: "?") }
            .reduce(0) { $1.0 == UInt8(ascii: "/") ? $0 + 1 : $0 }
    }

    /// Counts the next use of the current nonce of a space.
    ///
    /// - Parameters:
    ///   - space: The space.
    ///   - challenge: What the caller has made ready for.
    ///   - cnonce: A new nonce of the client.
    /// - Returns: `nil` when there is no nonce to use, or the space now asks for something else.
    func next(in space: ProtectionSpace, as challenge: DigestChallenge, cnonce: String) -> DigestInput? {
        known.withLock { known in
            guard let index = Self.touch(space, &known), known[index].challenge.algorithm == challenge.algorithm,
                known[index].challenge.qop == challenge.qop,
                let use = known[index].nonces.next(key: known[index].key, cnonce: cnonce),
                use.challenge.algorithm == challenge.algorithm, use.challenge.qop == challenge.qop
            else { return nil }
            return DigestInput(space: space, credential: known[index].credential, use: use)
        }
    }

    /// Takes a challenge of the server, and counts the first use of its nonce, or the next one.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - space: Who sent it.
    ///   - credential: Whose answer it gets.
    ///   - path: What was asked for.
    ///   - cnonce: A new nonce of the client.
    ///   - mayGoTo: Whether the credential is meant for another origin, too.
    /// - Returns: `nil` when the nonce was used as often as can be counted.
    func begin(
        _ challenge: DigestChallenge,
        in space: ProtectionSpace,
        _ credential: Credential,
        path: String,
        cnonce: String,
        mayGoTo: (Origin) -> Bool
    ) -> DigestInput? {
        let old = known.withLock { known in known.last { $0.space == space } }
        let isSameUser = old?.credential == credential && old?.challenge.hasSameKey(as: challenge) == true
        let new = Known(
            space: space,
            challenge: challenge,
            credential: credential,
            key: old.flatMap { isSameUser ? $0.key : nil } ?? DigestKey(challenge, credential),
            domain: DigestDomain(challenge, of: space, mayGoTo: mayGoTo),
            path: path
        )
        return known.withLock { known in
            if let index = Self.touch(space, &known) {
                known[index].take(new)
            } else {
                if known.count >= capacity { known.removeFirst() }
                known.append(new)
            }
            let index = known.count - 1
            let use = known[index].nonces.begin(challenge, key: new.key, cnonce: cnonce)
            return use.map { DigestInput(space: space, credential: credential, use: $0) }
        }
    }

    /// Notes that the server accepted a credential, proven by an algorithm.
    func accept(_ credential: Credential, in space: ProtectionSpace, with algorithm: DigestAlgorithm) {
        update(space, credential) { $0.isProven = true }
        guard !algorithm.isMD5 else { return }
        algorithms.withLock { algorithms in
            let server = Server(origin: space.origin, target: space.target)
            guard algorithms.count < Self.serverCapacity || algorithms[server] != nil else { return }
            algorithms[server] = algorithm
        }
    }

    /// The algorithm, not MD5, that a server has accepted an answer with; `nil` when there was none.
    func provenAlgorithm(at origin: Origin, _ target: AuthenticationTarget) -> DigestAlgorithm? {
        algorithms.withLock { $0[Server(origin: origin, target: target)] }
    }

    private static let serverCapacity = 1024

    /// Notes that the server refused a credential.
    func reject(_ credential: Credential, in space: ProtectionSpace) {
        update(space, credential) { $0.isProven = false }
    }

    /// Takes the nonce that came with an accepted answer.
    func replace(_ nonce: String, with next: String, of credential: Credential, in space: ProtectionSpace) {
        update(space, credential) { $0.nonces.replace(nonce, with: next) }
    }

    /// Whether no server has asked yet.
    var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// The number of spaces that are known.
    var count: Int { known.withLock { $0.count } }

    /// Counts all nonces as used so often, to test what happens at the end of counting.
    func setCounts(_ count: UInt32) {
        known.withLock { known in
            for index in known.indices { known[index].nonces.setCounts(count) }
        }
    }

    private func update(_ space: ProtectionSpace, _ credential: Credential, _ change: (inout Known) -> Void) {
        known.withLock { known in
            guard let index = known.lastIndex(where: { $0.space == space }), known[index].credential == credential
            else {
                return
            }
            change(&known[index])
        }
    }

    /// Moves a space to the end and returns its place there.
    private static func touch(_ space: ProtectionSpace, _ known: inout [Known]) -> Int? {
        guard let index = known.lastIndex(where: { $0.space == space }) else { return nil }
        if index != known.count - 1 { known.append(known.remove(at: index)) }
        return known.count - 1
    }
}

extension DigestChallenge {
    /// Whether a user has the same key for both.
    fileprivate func hasSameKey(as other: DigestChallenge) -> Bool {
        algorithm == other.algorithm && realm == other.realm && isUTF8 == other.isUTF8
    }
}

extension DigestKey {
    fileprivate init(_ challenge: DigestChallenge, _ credential: Credential) {
        self.init(
            challenge.algorithm,
            username: credential.user,
            realm: challenge.realm,
            password: credential.password,
            isUTF8: challenge.isUTF8
        )
    }
}
