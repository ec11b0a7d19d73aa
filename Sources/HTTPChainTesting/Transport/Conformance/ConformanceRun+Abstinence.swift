import Foundation
import HTTPChainCore
import HTTPTypes

/// Checks of the tasks that a transport leaves to the stages.
extension ConformanceRun {
    func redirectsAreNotFollowed() async throws -> TransportConformance.Outcome {
        let paths = Locked<[String]>([])
        let peer: TransportConformance.Handler = { request in
            paths.withLock { $0.append(request.head.path ?? "") }
            guard request.head.path != "/elsewhere" else { return Response(.ok, body: "followed") }
            let code = Int(request.head.path?.without(prefix: "/") ?? "") ?? 302
            return Response(HTTPResponse.Status(code: code), headers: [.location: "/elsewhere"], body: "moved")
        }
        return try await withPeer(peer) { transport, base in
            guard !transport.capabilities.contains(.followsRedirects) else {
                return .skipped("the transport says that it follows redirects")
            }
            let codes = [301, 302, 303, 307, 308]
            for code in codes {
                let response = try await transport.send(.post("\(base)/\(code)", body: "hello"))
                try expect(response.status.code, is: code, "status")
                try expect(response.field("Location"), is: "/elsewhere", "Location")
                try expect(try await response.body.text(), is: "moved", "body of the redirect")
            }
            try expect(paths.withLock { $0 }, is: codes.map { "/\($0)" }, "paths the server was asked for")
            return .passed
        }
    }

    func cookiesAreNotKept() async throws -> TransportConformance.Outcome {
        let peer: TransportConformance.Handler = { request in
            Response(
                .ok,
                headers: .repeating("Set-Cookie", ["session=1; Path=/"]),
                body: HTTPBody(request.head.headerFields.values("Cookie").joined(separator: "; "))
            )
        }
        return try await withPeer(peer) { transport, base in
            guard !transport.capabilities.contains(.handlesCookies) else {
                return .skipped("the transport says that it handles cookies")
            }
            for _ in 1...2 {
                let response = try await transport.send(.get("\(base)/cookies"))
                try expect(try await response.body.text(), is: "", "Cookie at the server")
            }
            let own = try await transport.send(.get("\(base)/cookies", headers: .repeating("Cookie", ["own=2"])))
            try expect(try await own.body.text(), is: "own=2", "Cookie at the server when the caller sets one")
            return .passed
        }
    }

    func challengesAreDelivered() async throws {
        let cases = [
            (401, "WWW-Authenticate", "Basic realm=\"test\""),
            (401, "WWW-Authenticate", "Digest realm=\"test\", nonce=\"abc\", qop=\"auth\""),
            (401, "WWW-Authenticate", "Bearer"),
            (407, "Proxy-Authenticate", "Basic realm=\"proxy\""),
        ]
        for (code, name, challenge) in cases {
            let requests = Locked(0)
            let peer: TransportConformance.Handler = { request in
                requests.withLock { $0 += 1 }
                return Response(
                    HTTPResponse.Status(code: code),
                    headers: .repeating(name, [challenge]),
                    body: "who are you?"
                )
            }
            try await withPeer(peer) { transport, base in
                for request in [Request.get("\(base)/private"), .post("\(base)/private", body: "hello")] {
                    let response = try await transport.send(request)
                    try expect(response.status.code, is: code, "status for \(challenge)")
                    try expect(response.field(name), is: challenge, name)
                    try expect(try await response.body.text(), is: "who are you?", "body of the \(code)")
                }
                try expect(requests.withLock { $0 }, is: 2, "requests at the server for \(challenge)")
            }
        }
    }

    func errorStatusesAreResponses() async throws {
        let peer: TransportConformance.Handler = { request in
            Response(
                HTTPResponse.Status(code: Int(request.head.path?.without(prefix: "/") ?? "") ?? 0),
                body: "what happened"
            )
        }
        try await withPeer(peer) { transport, base in
            for code in [400, 403, 404, 410, 418, 429, 500, 503, 599] {
                let response = try await transport.send(.get("\(base)/\(code)"))
                try expect(response.status.code, is: code, "status")
                try expect(try await response.body.text(), is: "what happened", "body of the \(code)")
            }
        }
    }

    func readOnce() async throws {
        let peer: TransportConformance.Handler = { _ in
            Response(.ok, body: Pattern.body(100_000, declared: false, once: true))
        }
        try await withPeer(peer) { transport, base in
            let response = try await transport.send(.get("\(base)/once"))
            let first = try await response.body.collect()
            try expect(first.count, is: 100_000, "bytes of the first read")
            try expect(response.body.isReplayable, is: false, "isReplayable of a body that comes once")
            let error = try await expectError(BodyError.self, "for a second read") {
                try await response.body.collect().count
            }
            try expect(error.problem, is: .alreadyRead, "problem")
        }
    }
}
