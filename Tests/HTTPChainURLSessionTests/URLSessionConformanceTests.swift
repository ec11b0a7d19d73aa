#if AllTests
import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLSession
import TestSupport
import Testing

/// URLSessionTransport keeps the contract, as far as its platform lets it.
@Suite(.serialized, .heavy)
struct URLSessionConformanceTests {
    #if canImport(FoundationNetworking)
    static let excluded: [TransportConformance.Check: String] = [
        .cutHead: "FoundationNetworking ends the process when an answer is cut within its head",
        .unknownLengthIsChunked: "streamed bodies are stored first, so that their length is known when they are sent",
        .uploadIsPulled: "streamed bodies are stored before they are sent",
        .trailersDoNoHarm: "FoundationNetworking ends the process when trailers follow a body",
    ]
    #else
    static let excluded: [TransportConformance.Check: String] = [:]
    #endif

    static let suite = TransportConformance(
        excluding: excluded,
        timingOut: {
            URLSessionTransport(configuration: URLSessionTransport.Configuration(requestTimeout: .milliseconds(500)))
        },
        make: { URLSessionTransport() }
    )

    @Test("URLSessionTransport conforms", .timeLimit(.minutes(10)), arguments: suite.checks)
    func conforms(_ check: TransportConformance.Check) async throws {
        #expect(try await Self.suite.verify(check) == .passed)
    }

    // InteroperabilityTests have the server of HTTP/2.
    @Test("Every check applies to URLSessionTransport but for those of HTTP/2 and those that the platform rules out")
    func checksApply() {
        let expected = TransportConformance.Check.allCases.filter { Self.excluded[$0] == nil && !$0.needsHTTP2 }
        #expect(Self.suite.checks == expected)
        #if canImport(FoundationNetworking)
        #expect(Self.excluded.count == 4)
        #else
        #expect(Self.excluded.isEmpty)
        #endif
    }
}
#endif
