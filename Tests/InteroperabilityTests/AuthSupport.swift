#if AllTests
import Foundation
import HTTPChain
import HTTPChainAuthDigest
import TestSupport
import Testing

/// The users that the servers know; the script `servers` writes them down for each.
enum User {
    static let ada = Credential(user: "ada", password: "love:lace")
    static let doe = Credential(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?")

    /// The user with another password.
    static func mistaken(_ credential: Credential) -> Credential {
        Credential(user: credential.user, password: "love")
    }
}

/// One call through a chain that answers challenges, and all that went over the wire for it.
struct AuthenticatedCalls: Sendable {
    let base: String
    let chain: Chain
    private let wire: Wire
    private let provider: AskedProvider

    /// Makes a chain of one authentication stage.
    ///
    /// - Parameters:
    ///   - base: The server.
    ///   - carrier: What carries the requests.
    ///   - credential: What the provider gives, again and again.
    ///   - proof: Whether the server has to prove that it knows the password.
    ///   - cookies: Whether cookies are sent back.
    ///   - hidingInfo: Whether the chain is kept from what servers say in `Authentication-Info`.
    init(
        _ base: String,
        _ carrier: Carrier,
        _ credential: Credential,
        proof: ServerProofPolicy = .whenPresent,
        cookies: Bool = false,
        hidingInfo: Bool = false
    ) throws {
        let provider = AskedProvider(credential)
        self.base = base
        self.provider = provider
        let (wire, jar) = (Wire(hidesInfo: hidingInfo), Jar(isOpen: cookies))
        self.wire = wire
        chain = try Chain(transport: carrier.transport) {
            AuthenticationMiddleware([BasicAuthenticator(provider), DigestAuthenticator(provider, serverProof: proof)])
            jar
            wire
        }
    }

    func send(_ request: Request) async throws -> Response {
        var request = request
        request.url = "\(base)/\(request.url)"
        return try await chain.send(request)
    }

    /// The status of a GET, whose content is read to its end.
    func status(_ path: String) async throws -> Int {
        let response = try await send(.get(path))
        _ = try await response.body.collect()
        return response.status.code
    }

    /// Checks that the right password opens a path and a wrong one does not, each with the second request, as with curl.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - base: The server.
    ///   - carrier: What carries the requests.
    ///   - users: The users, with the right passwords.
    ///   - status: The status with the right password.
    ///   - withCurl: Whether curl knows what the path asks for.
    static func checkPasswords(
        for path: String,
        at base: String,
        over carrier: Carrier,
        of users: [Credential] = [User.ada, User.doe],
        opening status: Int = 200,
        withCurl: Bool = true
    ) async throws {
        for user in users {
            for (credential, expected) in [(user, status), (User.mistaken(user), 401)] {
                let calls = try AuthenticatedCalls(base, carrier, credential)
                #expect(try await calls.status(path) == expected, "\(credential)")
                #expect(calls.statuses == [401, expected], "\(credential)")
                if withCurl, let curl = try await Curl.status("\(base)/\(path)", credential) {
                    #expect(curl == expected, "curl with \(credential)")
                }
            }
        }
    }

    /// The statuses that came over the wire so far, oldest first.
    var statuses: [Int] { wire.statuses.withLock { $0 } }

    /// How often somebody was asked for a credential.
    var askedCount: Int { provider.count.withLock { $0 } }
}

/// Notes the status of each response.
private struct Wire: Middleware {
    let hidesInfo: Bool
    let statuses = Locked<[Int]>([])

    var phase: Phase { .wire }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        var response = try await next(request)
        statuses.withLock { $0.append(response.status.code) }
        if hidesInfo { response.headers[.authenticationInfo] = nil }
        return response
    }
}

/// Sends back what servers had it keep; httpbin remembers in cookies what it said.
private struct Jar: Middleware {
    let isOpen: Bool
    private let cookies = Locked<[String: String]>([:])

    init(isOpen: Bool) { self.isOpen = isOpen }

    var phase: Phase { .wire }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard isOpen else { return try await next(request) }
        let kept = cookies.withLock { $0 }
        if !kept.isEmpty {
            request.head.headerFields[.cookie] = kept.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        let response = try await next(request)
        for cookie in response.headers[values: .setCookie] {
            let parts = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { cookies.withLock { $0[parts[0]] = parts[1] } }
        }
        return response
    }
}

private final class AskedProvider: CredentialProvider {
    let count = Locked(0)
    let origins = OriginSet.any
    private let credential: Credential

    init(_ credential: Credential) { self.credential = credential }

    func credential(for space: ProtectionSpace, rejected: Credential?) -> Credential? {
        count.withLock { $0 += 1 }
        return credential
    }
}

/// The client that everybody has, asked the same.
enum Curl {
    /// The program; `nil` if it is not installed, which is reported.
    static func program(sourceLocation: SourceLocation = #_sourceLocation) -> URL? {
        if let program = Programs.find("curl") { return program }
        Programs.notRun("apt install curl", sourceLocation: sourceLocation)
        return nil
    }

    /// Runs curl, and returns what it writes to its standard output; `nil` if it is not installed, which is reported.
    static func run(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws -> Data? {
        guard let program = program(sourceLocation: sourceLocation) else { return nil }
        return try await runProgram(program, ["--silent", "--max-time", "30"] + arguments).standardOutput
    }

    /// The status that curl ends with; `nil` if it is not installed, which is reported.
    static func status(
        _ url: String,
        _ credential: Credential,
        method: String = "GET",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Int? {
        let arguments = [
            "--output", "/dev/null", "--write-out", "%{http_code}", "--anyauth", "--globoff", "--path-as-is",
            "--user", "\(credential.user):\(credential.password.revealed)", "--request", method, url,
        ]
        return try await run(arguments, sourceLocation: sourceLocation).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
    }
}
#endif
