#if AllTests
import HTTPChainCore
import HTTPChainURLSession
import TestSupport
import Testing

/// The limits of an exchange, against peers that don't keep them.
@Suite("Limits over URLSession", .heavy, .timeLimit(.minutes(10)))
struct LimitTests {
    @Test(
        "Each limit ends the step that it is for",
        arguments: StalledPeer.allCases.filter { $0 != .connect },
        [Duration.milliseconds(300), .seconds(1)]
    )
    func eachLimit(peer: StalledPeer, limit: Duration) async throws {
        let (error, elapsed) = try await peer.exceed(
            limit,
            others: TransferLimits(),
            trickles: false,
            over: URLSessionTransport()
        )
        #expect(error.scope.name == peer.rawValue)
        #expect(StalledPeer.meets(limit, elapsed), "\(elapsed)")
    }

    @Test("The time to connect counts toward the response, whose limit is longer by the limit to connect")
    func connect() async throws {
        let (error, elapsed) = try await StalledPeer.connect.exceed(
            .milliseconds(300),
            others: TransferLimits(response: .milliseconds(400)),
            over: URLSessionTransport()
        )
        #expect(error.scope == .response && error.sent == .maybe)
        #expect(StalledPeer.meets(.milliseconds(700), elapsed), "\(elapsed)")
    }
}
#endif
