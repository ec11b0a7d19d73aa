#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let sessionToken = HTTPField.Name("X-Session-Token")!
}

private struct GardenLogin: SessionAuthenticator {
    struct Session: Sendable, Decodable {
        let userID: Int
        let token: String
        let expires: Date
    }
    let user: String
    let password: Secret
    let login: Chain

    func authenticate(replacing old: Session?, in context: RefreshContext) async throws -> Session {
        try await login.send(
            .post("https://garden.example/login", json: ["user": user, "password": password.revealed]),
            as: Session.self
        )
    }

    func isSessionOpen(_ session: Session, at date: Date) -> Bool { date < session.expires }

    func decorate(_ request: inout Request, with session: Session) {
        request.head.headerFields[.sessionToken] = session.token
    }

    func check(_ response: inout Response, in session: Session) async throws -> SessionStatus {
        if response.status == .unauthorized { return .closed }
        let (start, body) = try await response.body.peek(upTo: .kibibytes(1))
        response.body = body
        return start.description.contains("SESSION_EXPIRED") ? .closed : .open
    }
}

@Suite("The examples of the documentation of sessions work")
struct SessionDocumentationTests {
    @Test("A login call opens a session with a date, which is sent in a header")
    func gardenLogin() async throws {
        let logins = Locked(0)
        let transport = InMemoryTransport()
        transport.on(.post, "/login") { request in
            let count = logins.withLock { count in
                count += 1
                return count
            }
            let login = try await request.body.text()
            #expect(login.contains("sesame"))
            let end = Date(timeIntervalSinceNow: 3600).timeIntervalSinceReferenceDate
            return Response(.ok, body: HTTPBody(#"{"userID": 7, "token": "t\#(count)", "expires": \#(end)}"#))
        }
        transport.on(.get, "/plants") { request in
            request.head.headerFields[.sessionToken] == "t2"
                ? Response(.ok, body: "beans") : Response(.ok, body: #"{"error": "SESSION_EXPIRED"}"#)
        }
        let login = try Chain(transport: transport)
        let password: Secret = "sesame"
        let chain = try Chain(transport: transport) {
            SessionAuthMiddleware(
                GardenLogin(user: "ada", password: password, login: login),
                for: "https://garden.example"
            )
        }
        let plants = try await chain.send(.get("https://garden.example/plants"))
        #expect(try await plants.body.text() == "beans")
        #expect(logins.withLock { $0 } == 2)
        #expect(!chain.explain().contains("sesame"))
    }
}

@Suite("The rules of every stage are kept by sessions")
struct SessionConformanceTests {
    private struct Login: SessionAuthenticator {
        func authenticate(replacing old: Int?, in context: RefreshContext) async throws -> Int { (old ?? 0) + 1 }

        func decorate(_ request: inout Request, with session: Int) {
            request.head.headerFields[.cookie] = "session=\(session)"
        }
    }

    @Test(
        "A stage with sessions keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            SessionAuthMiddleware(Login(), for: "https://conformance.example")
        }.verify(check)
        try await StageConformance { SessionAuthMiddleware(Login(), for: "https://other.example") }.verify(check)
    }
}
#endif
