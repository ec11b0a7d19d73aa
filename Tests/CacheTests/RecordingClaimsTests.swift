#if AllTests
import Foundation
import HTTPTypes
import Testing

@testable import HTTPChainCache

@Suite("The right to store a response")
struct RecordingClaimsTests {
    private let claims = RecordingClaims()
    private let metadata = CacheMetadata(
        head: HTTPResponse(status: .ok),
        variant: CacheVariant(),
        requestTime: Date(timeIntervalSince1970: 0),
        responseTime: Date(timeIntervalSince1970: 0)
    )

    private func claim(_ name: Int, sentAt stamp: UInt64) -> RecordingClaim? {
        claims.claim(CacheKey(url: "https://example.com/\(name)"), metadata, sentAt: stamp)
    }

    @Test("Of calls that were in flight at the same time one has it, until it is given back")
    func oneAtATime() {
        let stamp = claims.stamp
        let first = claim(1, sentAt: stamp)
        #expect(first != nil && claim(1, sentAt: stamp) == nil && claim(2, sentAt: stamp) != nil)
        first?.release()
        #expect(claim(1, sentAt: stamp) != nil)
    }

    @Test("A call that was sent after it was given has it, too, and the one before ends without an effect")
    func later() throws {
        let stamp = claims.stamp
        let first = try #require(claim(1, sentAt: stamp))
        let second = try #require(claim(1, sentAt: claims.stamp))
        first.fulfill()
        #expect(claim(1, sentAt: stamp) == nil)
        second.release()
        #expect(claim(1, sentAt: stamp) != nil)
    }

    @Test("The last 256 places where a response was stored are remembered for calls that were sent before")
    func memory() throws {
        let stamp = claims.stamp
        for name in 0..<257 { try #require(claim(name, sentAt: stamp)).fulfill() }
        #expect(claim(0, sentAt: stamp) != nil)
        #expect(claim(1, sentAt: stamp) == nil && claim(256, sentAt: stamp) == nil)
        // Stored once more, a place is still one.
        try #require(claim(1, sentAt: claims.stamp)).fulfill()
        #expect(claim(2, sentAt: stamp) == nil)
    }

    @Test("Who goes without a word gives it back")
    func dropped() {
        let stamp = claims.stamp
        _ = claim(1, sentAt: stamp)
        #expect(claim(1, sentAt: stamp) != nil)
    }
}
#endif
