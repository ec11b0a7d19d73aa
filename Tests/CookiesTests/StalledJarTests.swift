#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCookies

@Suite("A jar whose disk does not answer", .timeLimit(.minutes(10)))
struct StalledJarTests {
    @Test(
        "A stalled jar holds up neither calls with another jar nor file work on the same threads, and loses no cookie"
    )
    func stalled() async throws {
        let scratch = try ScratchDirectory.created()
        let url = "https://www.example.com/"
        let executor = FileExecutor(limit: 2)
        let disk = StallingFiles()
        let stalled = CookieFile(
            path: scratch.file("stalled").path,
            keepsSessionCookies: true,
            access: FileAccess(system: disk, executor: executor)
        )
        let opening = Task { try await CookieJar(stalled) }
        try await until("the jar to wait for its disk") { disk.waitingCount == 1 }

        let healthy = CookieFile(
            path: scratch.file("healthy").path,
            keepsSessionCookies: true,
            access: FileAccess(executor: executor)
        )
        let jar = try await CookieJar(healthy)
        let transport = InMemoryTransport { request in
            Response(.ok, headers: [.setCookie: "count=\(request.headers[.cookie]?.count ?? 0)"])
        }
        let chain = try Chain(transport: transport) { CookieMiddleware(jar) }
        for _ in 0..<20 { _ = try await chain.send(.get(url)) }
        #expect(transport.requests.last?.headers[.cookie]?.hasPrefix("count=") == true)
        #expect(disk.waitingCount == 1, "it waits still")

        disk.release()
        let late = try await opening.value
        try await late.store(["a=1; Max-Age=60"], from: url)
        let next = try await CookieJar(
            CookieFile(path: scratch.file("stalled").path, keepsSessionCookies: true)
        )
        #expect(await next.cookies().map(\.name) == ["a"])
    }
}
#endif
