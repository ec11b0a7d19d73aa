#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes

/// A server in memory that demands Digest, and is strict about it: each count of a nonce is good once.
final class DigestServer: Sendable {
    enum Proof: Sendable { case none, right, wrong }

    struct Settings: Sendable {
        var realm = "plants"
        var users = ["ada": "lovelace"]
        var algorithms: [DigestAlgorithm] = [.sha256]
        var qop: String? = "auth"
        var opaque: String? = #"o\"paque"#
        var userhash = false
        var isUTF8 = true
        var domain: String?
        /// How often a nonce can be used before it is stale.
        var nonceUses = Int.max
        /// Whether it says that only the nonce was wrong.
        var saysStale = true
        /// Whether each 401 gives the nonce that was given before.
        var repeatsNonce = false
        /// Whether each success gives the next nonce.
        var givesNextNonce = false
        var proof = Proof.none
        var target = AuthenticationTarget.origin
        var refusesAll = false
        var body: HTTPBody = "secret content"
        var status: HTTPResponse.Status = .ok
    }

    /// One answer that was right.
    struct Accepted: Sendable, Hashable {
        var nonce: String
        var count: UInt32
        var cnonce: String
        var uri: String
        var user: String
    }

    private struct Session {
        var count: Set<UInt32> = []
        /// The nonce and the client's nonce that a session began with.
        var origin: (nonce: String, cnonce: String)?
    }

    private struct State {
        var settings: Settings
        var sessions: [String: Session] = [:]
        var lastNonce: String?
        var accepted: [Accepted] = []
        var refused: [String] = []
        var unanswered = 0
    }

    private let state: Locked<State>

    init(_ change: (inout Settings) -> Void = { _ in }) {
        var settings = Settings()
        change(&settings)
        state = Locked(State(settings: settings))
    }

    func set(_ change: (inout Settings) -> Void) {
        state.withLock { change(&$0.settings) }
    }

    /// Forgets all nonces, as after a restart.
    func restart() {
        state.withLock {
            $0.sessions = [:]
            $0.lastNonce = nil
        }
    }

    var accepted: [Accepted] { state.withLock { $0.accepted } }
    /// Why answers were refused.
    var refused: [String] { state.withLock { $0.refused } }
    /// How many requests came without an answer.
    var unanswered: Int { state.withLock { $0.unanswered } }

    func handle(_ request: Request) async throws -> Response {
        let body = try await request.body.collect()
        return state.withLock { state in
            let field = state.settings.target.requestField
            guard let value = request.head.headerFields[field] else {
                state.unanswered += 1
                return Self.challenge(&state, isStale: false)
            }
            switch Self.verify(Challenge.parse([value]).first, request, body, &state) {
            case .success(let success): return Self.success(&state, success)
            case .failure(let refusal):
                state.refused.append(refusal.why)
                return Self.challenge(&state, isStale: refusal.isStale && state.settings.saysStale)
            }
        }
    }

    private struct Refusal: Error {
        var why: String
        var isStale = false
    }

    private struct Success {
        var computation: DigestComputation
        var key: DigestKey
        var accepted: Accepted
    }

    private static func verify(
        _ answer: Challenge?,
        _ request: Request,
        _ body: Data,
        _ state: inout State
    ) -> Result<Success, Refusal> {
        let settings = state.settings
        guard let answer, answer.is("Digest"), let nonce = answer["nonce"], let uri = answer["uri"],
            let response = answer["response"], answer["realm"] == settings.realm, answer["opaque"] == settings.opaque
        else { return .failure(Refusal(why: "incomplete")) }
        let algorithm = answer["algorithm"].flatMap { DigestAlgorithm(token: $0) } ?? .md5
        guard settings.algorithms.contains(algorithm) else { return .failure(Refusal(why: "algorithm")) }
        let target = settings.target == .proxy ? request.url : request.head.path
        guard uri == target else { return .failure(Refusal(why: "uri \(uri) is not \(target ?? "")")) }
        guard let user = self.user(of: answer, algorithm, settings), let password = settings.users[user] else {
            return .failure(Refusal(why: "user"))
        }
        guard var session = state.sessions[nonce] else { return .failure(Refusal(why: "nonce", isStale: true)) }
        let qop = answer["qop"].flatMap { QualityOfProtection(rawValue: $0) }
        guard (qop?.rawValue).map({ settings.qop?.contains($0) == true }) ?? (settings.qop == nil) else {
            return .failure(Refusal(why: "qop"))
        }
        let cnonce = answer["cnonce"] ?? ""
        let count = answer["nc"].flatMap { $0.utf8.count == 8 ? UInt32($0, radix: 16) : nil } ?? 0
        if qop != nil, cnonce.isEmpty || count == 0 { return .failure(Refusal(why: "cnonce or count")) }
        var key = DigestKey(algorithm, username: user, realm: settings.realm, password: Secret(password))
        if algorithm.isSession {
            let origin = session.origin ?? (nonce, cnonce)
            session.origin = origin
            key = key.session(nonce: origin.nonce, cnonce: origin.cnonce)
        }
        let computation = DigestComputation(
            method: request.head.method.rawValue,
            uri: uri,
            nonce: nonce,
            qop: qop,
            nonceCount: count,
            cnonce: cnonce,
            contentHash: hash(body, algorithm)
        )
        guard !settings.refusesAll, computation.response(key) == response else {
            return .failure(Refusal(why: "response"))
        }
        if session.count.count >= settings.nonceUses { return .failure(Refusal(why: "used up", isStale: true)) }
        if qop != nil, !session.count.insert(count).inserted {
            return .failure(Refusal(why: "count \(count) twice"))
        }
        state.sessions[nonce] = session
        let accepted = Accepted(nonce: nonce, count: count, cnonce: cnonce, uri: uri, user: user)
        return .success(Success(computation: computation, key: key, accepted: accepted))
    }

    private static func user(of answer: Challenge, _ algorithm: DigestAlgorithm, _ settings: Settings) -> String? {
        if settings.userhash, answer["userhash"] == "true" {
            return settings.users.keys.first {
                DigestComputation.userhash($0, realm: Array(settings.realm.utf8), algorithm) == answer["username"]
            }
        }
        if let extended = answer["username*"], extended.hasPrefix("UTF-8''") {
            return extended.dropFirst(7).removingPercentEncoding
        }
        return answer["username"]
    }

    private static func hash(_ body: Data, _ algorithm: DigestAlgorithm) -> String? {
        guard !body.isEmpty else { return nil }
        return DigestContent.hash(body, algorithm)
    }

    private static func success(_ state: inout State, _ success: Success) -> Response {
        state.accepted.append(success.accepted)
        let settings = state.settings
        var info: [String] = []
        if settings.proof != .none {
            let content = success.computation.qop == .authInt ? settings.body.bytes : nil
            let proof = success.computation.serverResponse(
                success.key,
                contentHash: content.flatMap { hash($0, success.key.algorithm) }
            )
            info.append("rspauth=\"\(settings.proof == .wrong ? String(proof.reversed()) : proof)\"")
            info.append("qop=\(success.computation.qop?.rawValue ?? "auth")")
        }
        if settings.givesNextNonce {
            let next = "next-\(UUID().uuidString)"
            state.sessions[next] = Session(origin: state.sessions[success.accepted.nonce]?.origin)
            info.append("nextnonce=\"\(next)\"")
        }
        var response = Response(settings.status, body: settings.body)
        if !info.isEmpty { response.headers[settings.target.infoField] = info.joined(separator: ", ") }
        return response
    }

    private static func challenge(_ state: inout State, isStale: Bool) -> Response {
        let settings = state.settings
        let nonce = (settings.repeatsNonce ? state.lastNonce : nil) ?? "\(UUID().uuidString)=="
        state.lastNonce = nonce
        if state.sessions[nonce] == nil { state.sessions[nonce] = Session() }
        var response = Response(settings.target.status)
        for algorithm in settings.algorithms {
            var text = "Digest realm=\(Challenge.quoted(settings.realm)), nonce=\"\(nonce)\", algorithm=\(algorithm)"
            if let qop = settings.qop { text += ", qop=\"\(qop)\"" }
            if let opaque = settings.opaque { text += ", opaque=\(Challenge.quoted(opaque))" }
            if settings.userhash { text += ", userhash=true" }
            if settings.isUTF8 { text += ", charset=UTF-8" }
            if isStale { text += ", stale=true" }
            if let domain = settings.domain { text += ", domain=\"\(domain)\"" }
            response.headers.append(HTTPField(name: settings.target.challengeField, value: text))
        }
        return response
    }
}

extension DigestServer {
    /// A transport that leads to it.
    var transport: InMemoryTransport {
        InMemoryTransport { try await self.handle($0) }
    }

    /// A chain with the stage alone over it.
    func chain(_ stage: DigestAuthMiddleware) throws -> Chain {
        try Chain(transport: transport) { stage }
    }
}

/// A provider that counts how often it is asked.
final class CountingProvider: CredentialProvider {
    private let answers: Locked<[Credential?]>
    private let asked = Locked<[(space: ProtectionSpace, rejected: Credential?)]>([])
    let origins: OriginSet

    /// Gives these, one after the other, the last one again and again.
    init(_ passwords: String?..., user: String = "ada", for origins: OriginSet = .any) {
        answers = Locked(passwords.map { $0.map { Credential(user: user, password: Secret($0)) } })
        self.origins = origins
    }

    func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        asked.withLock { $0.append((space, rejected)) }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }

    var count: Int { asked.withLock { $0.count } }
    var spaces: [ProtectionSpace] { asked.withLock { $0.map(\.space) } }
    var rejected: [Credential?] { asked.withLock { $0.map(\.rejected) } }
}
#endif
