#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import SignInServer
import TestSupport
import Testing

@testable import HTTPChainOAuth

@Suite("The loopback server", .heavy, .timeLimit(.minutes(10)))
struct LoopbackTests {
    private let browser = URLSessionTransport(configuration: .init(requestTimeout: .seconds(600)))

    @Test("A sign-in comes back to it from a real browser's request, whatever else the browser asks for")
    func signIn() async throws {
        let server = AuthorizationServer()
        let pages = Locked<[String]>([])
        let agent = LoopbackAgent(page: "<p>done</p>") { [browser] url in
            let location = try await server.handle(.get(url)).headers[.location]
            let callback = try #require(location)
            let origin = try #require(Origin(callback))
            #expect(origin.host == "127.0.0.1" && origin.port > 0)
            let icon = try await browser.send(.get("\(origin)/favicon.ico"))
            #expect(icon.status == .notFound)
            _ = try await icon.body.collect(upTo: .kibibytes(1))
            let posted = try await browser.send(.post(callback, body: "x"))
            #expect(posted.status == .methodNotAllowed)
            _ = try await posted.body.collect(upTo: .kibibytes(1))
            let page = try await browser.send(.get(callback)).body.text()
            pages.withLock { $0.append(page) }
        }
        let token = try await server.signIn().token(by: agent, over: server.transport)
        #expect(token.refreshToken != nil)
        #expect(pages.withLock { $0 } == ["<p>done</p>"])
    }

    @Test("A callback with another state, as any page can send it, gets a 400, and the sign-in goes on")
    func guesses() async throws {
        let server = AuthorizationServer()
        let statuses = Locked<[String]>([])
        let agent = LoopbackAgent { url in
            let location = try await server.handle(.get(url)).headers[.location]
            let callback = try #require(location)
            let port = try #require(URLComponents(string: callback)?.port)
            let state = try #require(query(callback)["state"])
            let target = try #require(callback.range(of: "/callback")).lowerBound
            for target in [
                "/callback?state=guess", "/callback", "/callback?error=access_denied", "/callback?state=\(state)x",
                "/callback?state=\(state)&state=\(state)&error=access_denied", String(callback[target...]),
            ] {
                let status = try await Visitor(port: UInt16(port)).get(target)
                statuses.withLock { $0.append(status) }
            }
        }
        #expect(try await server.signIn().token(by: agent, over: server.transport).refreshToken != nil)
        let refused = Array(repeating: "HTTP/1.1 400 Bad Request", count: 5)
        #expect(statuses.withLock { $0 } == refused + ["HTTP/1.1 200 OK"])
    }

    @Test("After a thousand callbacks with another state the sign-in ends")
    func manyGuesses() async throws {
        let server = try LoopbackRedirectServer(port: 0, path: "/callback", page: "")
        async let target = server.target { _ in false }
        for _ in 0..<999 {
            #expect(try await Visitor(port: server.port).get("/callback?state=guess") == "HTTP/1.1 400 Bad Request")
        }
        _ = try await Visitor(port: server.port).get("/callback?state=guess")
        do {
            Issue.record("\(try await target)")
        } catch {
            #expect((error as? SignInError)?.problem == .wrongState)
        }
    }

    @Test("Connections that send nothing do not keep the browser out")
    func idleConnections() async throws {
        let server = try LoopbackRedirectServer(port: 0, path: "/callback", page: "", patience: 86_400)
        async let target = server.target { _ in true }
        let idle = try (0..<40).map { _ in try Visitor(port: server.port) }
        #expect(try await Visitor(port: server.port).get("/callback?state=a") == "HTTP/1.1 200 OK")
        #expect(try await target == "/callback?state=a")
        withExtendedLifetime(idle) {}
    }

    @Test("The server ends when the task is cancelled, before it waits and while it does")
    func cancelled() async throws {
        for isEarly in [true, false] {
            let isOpen = Rendezvous()
            let agent = LoopbackAgent { _ in
                isOpen.reach()
                if isEarly { try await Rendezvous().wait() }
            }
            let server = AuthorizationServer()
            let signIn = try await server.signIn()
            let task = Task { try await signIn.token(by: agent, over: server.transport) }
            try await isOpen.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("What opening the browser throws ends the sign-in, and a port that is taken is an error")
    func failures() async throws {
        struct NoBrowser: Error {}
        let server = AuthorizationServer()
        let signIn = try await server.signIn()
        await #expect(throws: NoBrowser.self) {
            try await signIn.token(by: LoopbackAgent { _ in throw NoBrowser() }, over: server.transport)
        }
        let first = try LoopbackRedirectServer(port: 0, path: "/callback", page: "")
        defer { first.close() }
        let error = #expect(throws: SignInError.self) {
            try LoopbackRedirectServer(port: first.port, path: "/callback", page: "")
        }
        guard case .cannotListen = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "A request is answered by its host, path and method",
        arguments: [
            ("GET /callback?code=a HTTP/1.1\r\nHost: 127.0.0.1:8\r\n\r\n", "200 OK", true),
            ("GET /callback HTTP/1.1\r\nhost:localhost:8\r\n\r\n", "200 OK", true),
            ("GET /callback HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421", false),
            ("GET /callback HTTP/1.1\r\nHost: 127.0.0.1:8\r\nHost: evil.example\r\n\r\n", "421", false),
            ("GET /callback HTTP/1.1\r\n\r\n", "421", false),
            ("GET /callback/x HTTP/1.1\r\nHost: 127.0.0.1:8\r\n\r\n", "404", false),
            ("POST /callback HTTP/1.1\r\nHost: 127.0.0.1:8\r\n\r\n", "405", false),
        ]
    )
    func answers(head: String, status: String, isCallback: Bool) throws {
        #expect(LoopbackRequest.isWhole(Data(head.utf8)))
        let request = try #require(LoopbackRequest(head: Data(head.utf8)))
        let (response, found) = request.answer(path: "/callback", port: 8, page: "done")
        #expect(found == isCallback)
        #expect(String(decoding: response, as: UTF8.self).hasPrefix("HTTP/1.1 \(status)"))
    }

    @Test("What is no request is read as none", arguments: ["", "\r\n\r\n", "GET /\r\n\r\n", "GET x HTTP/1.1\r\n\r\n"])
    func noRequest(head: String) {
        #expect(LoopbackRequest(head: Data(head.utf8)) == nil)
    }
}
#endif
