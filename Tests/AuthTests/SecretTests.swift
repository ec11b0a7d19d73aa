#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

/// What must not be seen: the password as it is, and as Basic sends it.
private let secrets = ["Zq9-pass-9qZ", "YWRhOlpxOS1wYXNzLTlxW"]
private let credential = Credential(user: "ada", password: "Zq9-pass-9qZ")

private struct Broken: Error {}

@Suite("Nothing shows a secret")
struct SecretTests {
    private func expectNoSecret(in texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        for text in texts {
            for secret in secrets where text.contains(secret) {
                Issue.record("\(secret) is shown: \(text)", sourceLocation: sourceLocation)
            }
        }
    }

    /// All the ways in which a value may be printed.
    private func prints(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped].joined(separator: "\n")
    }

    private var stage: BasicAuthMiddleware {
        BasicAuthMiddleware(
            .fixed(user: "ada", password: "Zq9-pass-9qZ", for: "https://api.example.com"),
            sending: .preemptively
        )
    }

    @Test("The secret would be found if it were there")
    func theTestCanFail() throws {
        #expect(try BasicCredentials.encode(credential, .utf8).contains(secrets[1]))
    }

    @Test("Neither credentials nor what holds them show a secret")
    func values() throws {
        expectNoSecret(
            in: prints(credential),
            prints(
                ClosureCredentialProvider.fixed(
                    user: credential.user,
                    password: credential.password,
                    for: "https://api.example.com"
                )
            ),
            prints([ProtectionSpace(origin: .of(url), realm: "r", scheme: "basic"): credential]),
            prints(InMemoryCredentialStore(["a": credential])),
            prints(Optional(credential) as Any)
        )
    }

    @Test("Neither the stage nor the chain, its explanation and its trace show a secret")
    func chain() async throws {
        let transport = InMemoryTransport { request in
            request.head.path == "/ok"
                ? Response(.ok) : Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=r"])
        }
        // Two stages for one origin, which the check refuses.
        let chain = try Chain(transport: transport, order: .unchecked) {
            RoutedAuthMiddleware([AuthRoute("a", with: stage)])
            AuthenticationMiddleware([
                BasicAuthenticator(
                    ClosureCredentialProvider.fixed(
                        user: credential.user,
                        password: credential.password,
                        for: "https://api.example.com"
                    )
                )
            ])
        }
        expectNoSecret(in: chain.explain(), prints(stage.summary))
        for path in ["/ok", "/denied"] {
            let call = await chain.trace(.get("https://api.example.com\(path)"))
            let response = try call.result.get()
            expectNoSecret(
                in: call.trace.description,
                call.trace.html(),
                prints(call.trace),
                prints(response),
                "\(response.authenticationRefusal as Any)"
            )
        }
        #expect(transport.requests.contains { $0.headers[.authorization]?.contains(secrets[1]) == true })
    }

    @Test("A stage that has sent a password does not show it to a mirror")
    func mirrors() async throws {
        let stage = stage
        let outcome = await StageHarness(stage).send(.get("https://api.example.com/x"))
        #expect(outcome.authorizations.first??.contains(secrets[1]) == true)
        expectNoSecret(in: prints(stage), prints(stage.authentication))
    }

    @Test("Neither a request with credentials nor its options show a secret")
    func request() async throws {
        let request = try #require(await StageHarness(stage).send(.get("https://api.example.com/x")).requests.first)
        expectNoSecret(in: "\(request)", String(reflecting: request), prints(request.options))
        expectNoSecret(in: "\(request.options.names)")
        expectNoSecret(in: "\(ExchangeSnapshot(request.head))")
    }

    @Test("No error shows a secret")
    func errors() async throws {
        let providers: [ClosureCredentialProvider] = [
            ClosureCredentialProvider(for: "https://api.example.com") { _, rejected in
                guard rejected == nil else { throw Broken() }
                return credential
            },
            ClosureCredentialProvider(for: "https://api.example.com") { _, _ in
                Credential(user: "a:b", password: "Zq9-pass-9qZ")
            },
        ]
        for provider in providers {
            let answers: [StageHarness.Answer] = [.challenge("Basic realm=r"), .challenge("Basic realm=r")]
            let outcome = await StageHarness(BasicAuthMiddleware(provider)).send(.get(url), answering: answers)
            let error = try #require(outcome.error as? AuthenticationError)
            expectNoSecret(in: prints(error), error.localizedDescription, error.reason)
        }
        let control = await StageHarness(
            BasicAuthMiddleware(
                user: "a",
                password: "Zq9-pass-9qZ\n",
                for: "https://api.example.com",
                sending: .preemptively
            )
        ).send(.get(url), answering: [])
        expectNoSecret(in: prints(try #require(control.error)))
    }
}
#endif
