#if AllTests
#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import HTTPChainTesting
import NIOCore
import TestSupport
import Testing

/// The shared client, held to what every transport must do.
@Suite(.serialized, .heavy)
struct AsyncHTTPClientConformanceTests {
    static let suite = TransportConformance(
        timingOut: {
            var configuration = AsyncHTTPClientTransport.standardConfiguration
            configuration.timeout.read = .milliseconds(200)
            return AsyncHTTPClientTransport(configuration: configuration)
        },
        make: { AsyncHTTPClientTransport() }
    )

    @Test("AsyncHTTPClientTransport conforms", .timeLimit(.minutes(10)), arguments: suite.checks)
    func conforms(_ check: TransportConformance.Check) async throws {
        #expect(try await Self.suite.verify(check) == .passed)
    }

    // InteroperabilityTests have the server of HTTP/2.
    @Test("Every check that needs no server of HTTP/2 applies to AsyncHTTPClientTransport")
    func allChecksApply() {
        #expect(Self.suite.checks == TransportConformance.Check.allCases.filter { !$0.needsHTTP2 })
    }
}
#else
import TestSupport
import Testing

@Test("LOUD NOTE: AsyncHTTPClientTransport is NOT tested here; run `swift test --enable-all-traits` to test it")
func asyncHTTPClientNeedsItsTrait() {
    print("note: the tests of AsyncHTTPClientTransport need `swift test --enable-all-traits`")
}
#endif
#endif
