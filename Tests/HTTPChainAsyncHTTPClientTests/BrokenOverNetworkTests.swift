#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

/// The checks that need a wire find what is wrong on it.
@Suite(.serialized, .heavy)
struct BrokenOverNetworkTests {
    typealias Check = TransportConformance.Check

    static let faults: [(BrokenOverNetwork.Defect, Check)] = [
        (.endsTruncatedBodiesSilently, .truncatedChunksFail), (.endsTruncatedBodiesSilently, .truncatedBodyFails),
        (.endsTruncatedBodiesSilently, .resetBodyFails), (.collectsResponsesFirst, .chunkedReplyArrives),
        (.collectsResponsesFirst, .cancellingEndsReading), (.readsAheadWithoutBound, .slowReaderIsBounded),
        (.keepsUnreadResponses, .droppingUnreadEnds), (.claimsNothingWasSent, .droppedConnectionFails),
        (.claimsNothingWasSent, .resetConnectionFails), (.claimsNothingWasSent, .cutHead),
        (.collectsUploadsFirst, .unknownLengthIsChunked), (.collectsUploadsFirst, .uploadIsPulled),
        (.takesNoLengthOnTrust, .bigDownloadArrives), (.takesNoLengthOnTrust, .framingIsExact),
        (.wrapsCancellationOfBodies, .cancellingEndsReading),
        (.drainsInsteadOfEnding, .droppingHalfReadEnds), (.hidesRefusals, .refusedConnectionFails),
        (.hidesRefusals, .unknownHostFails), (.passesRawErrors, .malformedReplyFails),
        (.passesRawErrors, .lyingLengthFails), (.saysDecodedButIsNot, .contentCodingIsHonest),
    ]

    @Test("A transport with a defect on the wire fails the check for it", .timeLimit(.minutes(10)), arguments: faults)
    func fails(_ defect: BrokenOverNetwork.Defect, _ check: Check) async throws {
        let suite = TransportConformance(limit: .seconds(3)) { BrokenOverNetwork(defect) }
        let failure = try #require(try await Self.failure(of: check, in: suite))
        #expect(failure.check == check)
        #expect(!failure.expected.isEmpty && !failure.seen.isEmpty)
    }

    /// A defect that shows only in what happens meanwhile can hide on a busy machine, so it is looked for a few times.
    private static func failure(of check: Check, in suite: TransportConformance) async throws -> ConformanceFailure? {
        for _ in 0..<5 {
            do {
                _ = try await suite.verify(check)
            } catch let failure as ConformanceFailure {
                return failure
            }
        }
        return nil
    }

    @Test("Every defect is found by some check")
    func allDefectsAreCovered() {
        #expect(Set(Self.faults.map(\.0)) == Set(BrokenOverNetwork.Defect.allCases))
    }

    /// A client of the caller's that does what stages should do, and does not say so.
    @Test("A client that follows redirects or decodes content unannounced is found out", .timeLimit(.minutes(10)))
    func eagerClient() async throws {
        let suite = TransportConformance { AsyncHTTPClientTransport(client: .shared) }
        for check in [Check.redirectsAreNotFollowed, .contentCodingIsHonest] {
            await #expect(throws: ConformanceFailure.self) { try await suite.verify(check) }
        }
        let honest = TransportConformance {
            AsyncHTTPClientTransport(
                client: .shared,
                capabilities: AsyncHTTPClientTransport.standardCapabilities.union(.followsRedirects)
            )
        }
        #expect(
            try await honest.verify(.redirectsAreNotFollowed)
                == .skipped("the transport says that it follows redirects")
        )
    }
}
#endif
