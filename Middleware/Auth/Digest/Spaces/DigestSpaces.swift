import HTTPChainAuth
import HTTPChainCore
import HTTPChainSupport

/// The values from which an answer is computed.
struct DigestInput: Sendable {
    let space: ProtectionSpace
    let credential: Credential
    /// The generation of the credential.
    let generation: UInt64
    let use: DigestNonces.Use
}

/// The known protection spaces, up to a limit; the least recently used one is evicted first.
final class DigestSpaces: Sendable {
    /// One protection space.
    struct Known: Sendable {
        let space: ProtectionSpace
        var challenge: DigestChallenge
        var credential: Credential
        var generation: UInt64
        var key: DigestKey
        var domain: DigestDomain
        /// The path of the challenged request.
        var path: String
        /// Whether the server has accepted the credential.
        ///
        /// Only then is it sent preemptively, so that a wrong one isn't sent repeatedly.
        var isProven = false
        var nonces = DigestNonces()

        /// Updates the space for a new challenge, keeping the nonces.
        mutating func take(_ new: Known) {
            if key != new.key {
                isProven = false
                nonces.endSessions()
            }
            (challenge, credential, key, domain, path) = (new.challenge, new.credential, new.key, new.domain, new.path)
            generation = new.generation
        }
    }

    private struct Server: Sendable, Hashable {
        let origin: Origin
        let target: AuthenticationTarget
    }

    /// The spaces, most recently used last.
    let known = Locked<[Known]>([])
    /// The algorithm other than MD5 that each server or proxy accepted last.
    ///
    /// It is kept by origin, because the server chooses the realm of a challenge, and for longer than the spaces.
    private let algorithms = Locked<[Server: DigestAlgorithm]>([:])
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Returns the space that a request is likely in: the one with the longest matching path in its `domain`, then the
    /// one challenged on the nearest path, then the most recently used.
    ///
    /// A credential of an earlier generation isn't used. Its space is kept, because a server may count the uses of a
    /// nonce across users.
    func covering(
        _ path: String,
        at origin: Origin,
        _ target: AuthenticationTarget,
        in generation: UInt64 = 0
    ) -> Known? {
        known.withLock { known in
            var best: Known?
            var bestFit = (coverage: -1, nearness: -1)
            for candidate in known.reversed() where candidate.isProven && candidate.space.target == target {
                guard candidate.generation == generation, let coverage = candidate.domain.coverage(of: path, at: origin)
                else { continue }
                let fit = (coverage, Self.commonDepth(path, candidate.path))
                if fit > bestFit { (best, bestFit) = (candidate, fit) }
            }
            return best
        }
    }

    /// Returns the number of leading slashes that two paths have in common.
    private static func commonDepth(_ one: String, _ other: String) -> Int {
        zip(one.utf8, other.utf8).prefix { $0 == $1 && $0 != UInt8(ascii: "?") }
            .reduce(0) { $1.0 == UInt8(ascii: "/") ? $0 + 1 : $0 }
    }

    /// Counts the next use of the current nonce of a space.
    ///
    /// - Parameters:
    ///   - space: The space.
    ///   - challenge: The challenge that the caller has prepared for.
    ///   - cnonce: A new nonce of the client.
    /// - Returns: `nil` if there is no nonce to use, or the space's challenge has changed.
    func next(in space: ProtectionSpace, as challenge: DigestChallenge, cnonce: String) -> DigestInput? {
        known.withLock { known in
            guard let index = Self.touch(space, &known), known[index].challenge.algorithm == challenge.algorithm,
                known[index].challenge.qop == challenge.qop,
                let use = known[index].nonces.next(key: known[index].key, cnonce: cnonce),
                use.challenge.algorithm == challenge.algorithm, use.challenge.qop == challenge.qop
            else { return nil }
            let (credential, generation) = (known[index].credential, known[index].generation)
            return DigestInput(space: space, credential: credential, generation: generation, use: use)
        }
    }

    /// Stores a challenge, and counts the next use of its nonce.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - space: The protection space.
    ///   - credential: The credential for the answer.
    ///   - generation: The generation of the credential. If the space has a later one, the challenge isn't stored.
    ///   - path: The request's path.
    ///   - cnonce: A new nonce of the client.
    ///   - mayGoTo: Whether the credential may also be sent to another origin.
    /// - Returns: `nil` if the nonce's count is exhausted.
    func begin(
        _ challenge: DigestChallenge,
        in space: ProtectionSpace,
        _ credential: Credential,
        of generation: UInt64 = 0,
        path: String,
        cnonce: String,
        mayGoTo: (Origin) -> Bool
    ) -> DigestInput? {
        let old = known.withLock { known in known.last { $0.space == space } }
        let isSameUser = old?.credential == credential && old?.challenge.hasSameKey(as: challenge) == true
        var new = Known(
            space: space,
            challenge: challenge,
            credential: credential,
            generation: generation,
            key: old.flatMap { isSameUser ? $0.key : nil } ?? DigestKey(challenge, credential),
            domain: DigestDomain(challenge, of: space, mayGoTo: mayGoTo),
            path: path
        )
        if let old, old.generation > generation {
            let use = new.nonces.begin(challenge, key: new.key, cnonce: cnonce)
            return use.map { DigestInput(space: space, credential: credential, generation: generation, use: $0) }
        }
        return known.withLock { [new] known in
            if let index = Self.touch(space, &known) {
                known[index].take(new)
            } else {
                if known.count >= capacity { known.removeFirst() }
                known.append(new)
            }
            let index = known.count - 1
            let use = known[index].nonces.begin(challenge, key: new.key, cnonce: cnonce)
            return use.map { DigestInput(space: space, credential: credential, generation: generation, use: $0) }
        }
    }

    /// Notes that the server accepted a credential with an algorithm.
    func accept(_ credential: Credential, in space: ProtectionSpace, with algorithm: DigestAlgorithm) {
        update(space, credential) { $0.isProven = true }
        guard !algorithm.isMD5 else { return }
        algorithms.withLock { algorithms in
            let server = Server(origin: space.origin, target: space.target)
            guard algorithms.count < Self.serverCapacity || algorithms[server] != nil else { return }
            algorithms[server] = algorithm
        }
    }

    /// Returns the algorithm other than MD5 that a server has accepted, or `nil` if there is none.
    func provenAlgorithm(at origin: Origin, _ target: AuthenticationTarget) -> DigestAlgorithm? {
        algorithms.withLock { $0[Server(origin: origin, target: target)] }
    }

    private static let serverCapacity = 1024

    /// Notes that the server rejected a credential.
    func reject(_ credential: Credential, in space: ProtectionSpace) {
        update(space, credential) { $0.isProven = false }
    }

    /// Adds the nonce that came with an accepted answer.
    func replace(_ nonce: String, with next: String, of credential: Credential, in space: ProtectionSpace) {
        update(space, credential) { $0.nonces.replace(nonce, with: next) }
    }

    /// Whether no server has sent a challenge yet.
    var isEmpty: Bool { known.withLock { $0.isEmpty } }

    private func update(_ space: ProtectionSpace, _ credential: Credential, _ change: (inout Known) -> Void) {
        known.withLock { known in
            guard let index = known.lastIndex(where: { $0.space == space }), known[index].credential == credential
            else {
                return
            }
            change(&known[index])
        }
    }

    /// Moves a space to the end and returns its new index.
    private static func touch(_ space: ProtectionSpace, _ known: inout [Known]) -> Int? {
        guard let index = known.lastIndex(where: { $0.space == space }) else { return nil }
        if index != known.count - 1 { known.append(known.remove(at: index)) }
        return known.count - 1
    }
}

extension DigestChallenge {
    /// Whether a user's key is the same for both challenges.
    fileprivate func hasSameKey(as other: DigestChallenge) -> Bool {
        algorithm == other.algorithm && realm.hasSameBytes(as: other.realm) && isUTF8 == other.isUTF8
            && isLatin1 == other.isLatin1
    }
}

extension DigestKey {
    fileprivate init(_ challenge: DigestChallenge, _ credential: Credential) {
        self.init(
            challenge.algorithm,
            username: credential.user,
            realm: challenge.bytes(challenge.realm),
            password: credential.password,
            isUTF8: challenge.isUTF8
        )
    }
}
