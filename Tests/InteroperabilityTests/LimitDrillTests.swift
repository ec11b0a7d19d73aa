#if AllTests
import HTTPChain
import HTTPChainCore
import TestSupport
import Testing

/// Limits of some seconds, which end an exchange within a fifth, without the room that tests give a busy machine.
@Suite("Limits of seconds", .enabled(if: Drill.isFull), .serialized, .heavy, .timeLimit(.minutes(10)))
struct LimitDrillTests {
    @Test(
        "Each limit of a few seconds ends its step within a fifth",
        arguments: Carrier.allCases.flatMap { carrier in carrier.limited.map { (carrier: carrier, peer: $0) } },
        [Duration.seconds(3), .seconds(5)]
    )
    func eachLimit(step: (carrier: Carrier, peer: StalledPeer), limit: Duration) async throws {
        let long = Duration.seconds(60)
        let isPlatform = step.carrier == .urlSession
        let (error, elapsed) = try await step.peer.exceed(
            limit,
            others: isPlatform
                ? TransferLimits() : TransferLimits(connect: long, write: long, response: long, read: long),
            trickles: !isPlatform,
            over: step.carrier.transport
        )
        print("limit: \(step.peer) over \(step.carrier.rawValue): asked \(limit), came after \(elapsed)")
        #expect(error.scope.name == step.peer.rawValue)
        #expect(StalledPeer.meets(limit, elapsed, slack: .zero), "\(elapsed)")
    }
}

extension Carrier {
    /// The steps that it can limit; URLSession doesn't report when a connection is established.
    fileprivate var limited: [StalledPeer] { StalledPeer.allCases.filter { self != .urlSession || $0 != .connect } }
}
#endif
