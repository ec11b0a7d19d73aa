#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes

let url = "https://api.example.com/docs/index.html"

extension Origin {
    /// The origin of a URL that a test wrote.
    static func of(_ url: String) -> Origin {
        guard let origin = Origin(url) else { preconditionFailure("\(url) is not an origin") }
        return origin
    }
}

extension StageHarness.Answer {
    /// A 401 with challenges.
    static func challenge(_ challenges: String..., body: HTTPBody = .empty) -> StageHarness.Answer {
        var response = Response(.unauthorized, body: body)
        response.headers[values: .wwwAuthenticate] = challenges
        return .response(response)
    }
}

extension StageHarness.Outcome {
    /// The Authorization of each request.
    var authorizations: [String?] { requests.map { $0.head.headerFields[.authorization] } }
}

extension Request {
    var authorization: String? { head.headerFields[.authorization] }
}

/// Gives credentials one after the other, and records what it was asked.
final class ListedCredentials: CredentialProvider {
    struct Question: Sendable, Equatable {
        let space: ProtectionSpace
        let rejected: Credential?
    }

    let origins: OriginSet
    private let list: [Credential?]
    private let asked = Locked<[Question]>([])
    private let gate: Rendezvous?

    init(_ list: [Credential?], for origins: OriginSet = .any, after gate: Rendezvous? = nil) {
        self.list = list
        self.origins = origins
        self.gate = gate
    }

    var questions: [Question] { asked.withLock { $0 } }

    func credential(for space: ProtectionSpace, rejected: Credential?) async throws -> Credential? {
        let index = asked.withLock { asked in
            asked.append(Question(space: space, rejected: rejected))
            return asked.count - 1
        }
        try await gate?.wait()
        return index < list.count ? list[index] : nil
    }
}

/// A scheme of a test: its credentials are words.
final class WordAuthenticator: Authenticator {
    let scheme: String
    let strength: AuthenticationStrength
    let origins: OriginSet
    let sendsPreemptively: Bool
    private let words: Locked<[String]>
    private let checked = Locked<[Int]>([])

    init(
        _ scheme: String,
        _ strength: AuthenticationStrength,
        words: [String],
        for origins: OriginSet = .any,
        sendsPreemptively: Bool = false
    ) {
        self.origins = origins
        self.scheme = scheme
        self.strength = strength
        self.words = Locked(words)
        self.sendsPreemptively = sendsPreemptively
    }

    /// The statuses of the responses that it looked at.
    var checkedStatuses: [Int] { checked.withLock { $0 } }

    func prepare(_ request: inout Request, in context: inout AuthenticationContext) -> Bool {
        guard sendsPreemptively, context.maySendPreemptively, let word = nextWord() else { return false }
        request.setCredentials("\(scheme) \(word)", in: context)
        return true
    }

    func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) -> AuthenticationAnswer {
        let space = context.space(scheme, realm: challenge.realm)
        if challenge["unknown"] != nil { return .declined(.unsupportedChallenge(scheme: scheme, why: "test")) }
        guard let word = nextWord() else {
            let isRejected = request.authorization?.hasPrefix(scheme) == true
            return .declined(isRejected ? .rejected(space) : .noCredential(space))
        }
        request.setCredentials("\(scheme) \(word)", in: context)
        return .answered
    }

    func check(_ response: inout Response, to request: Request, in context: AuthenticationContext) {
        let code = response.status.code
        checked.withLock { $0.append(code) }
    }

    private func nextWord() -> String? {
        words.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

let ada = Credential(user: "ada", password: "lovelace")
let grace = Credential(user: "grace", password: "hopper")
/// What Basic sends for them.
let adaField = "Basic YWRhOmxvdmVsYWNl"
let graceField = "Basic Z3JhY2U6aG9wcGVy"
#endif
