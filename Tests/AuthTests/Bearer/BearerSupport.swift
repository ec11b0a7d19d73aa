#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes

/// The tests' clock begins here: Sun, 06 Nov 1994 08:49:37 GMT.
let start = Date(timeIntervalSince1970: 784_111_777)

/// A provider that numbers its tokens, "token-1" first, and counts how often it is asked.
final class TokenSource: AccessTokenProvider {
    private let state = Locked((count: 0, olds: [AccessToken?]()))
    private let work: @Sendable (_ number: Int, RefreshContext) async throws -> AccessToken

    init(
        _ work: @escaping @Sendable (_ number: Int, RefreshContext) async throws -> AccessToken = { number, _ in
            AccessToken(Secret("token-\(number)"))
        }
    ) {
        self.work = work
    }

    /// A provider of the token "new".
    ///
    /// - Parameters:
    ///   - mayAnswer: A point that it waits for, each time.
    ///   - isAsked: A point that it reaches before.
    static func gated(_ mayAnswer: Rendezvous, isAsked: Rendezvous = Rendezvous()) -> TokenSource {
        TokenSource { _, _ in
            isAsked.reach()
            try await mayAnswer.wait()
            return AccessToken("new")
        }
    }

    var count: Int { state.withLock { $0.count } }
    var olds: [AccessToken?] { state.withLock { $0.olds } }

    func accessToken(replacing old: AccessToken?, in context: RefreshContext) async throws -> AccessToken {
        let number = state.withLock { state in
            state.count += 1
            state.olds.append(old)
            return state.count
        }
        return try await work(number, context)
    }
}

extension Request {
    var token: String? {
        head.headerFields[.authorization].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }
}

extension RecordedRequest {
    var token: String? {
        headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }
}

extension StageHarness.Answer {
    static func unauthorized(_ challenge: String? = "Bearer error=\"invalid_token\"") -> StageHarness.Answer {
        .status(.unauthorized, headers: challenge.map { [.wwwAuthenticate: $0] } ?? [:], body: "who are you?")
    }
}

/// A server that takes one token and rejects all others.
func resourceServer(taking isGood: @escaping @Sendable (String?) -> Bool) -> InMemoryTransport {
    InMemoryTransport { request in
        isGood(request.token)
            ? Response(.ok, body: HTTPBody(request.token ?? "none"))
            : Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""], body: "no")
    }
}

struct ProviderBroke: Error, Equatable {}
#endif
