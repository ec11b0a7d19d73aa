import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Errors of the platform")
struct PlatformErrorTests {
    @Test(
        "A connection that could not be made means nothing sent, unless the request may have gone out before",
        arguments: [URLError.Code.cannotConnectToHost, .cannotFindHost, .secureConnectionFailed]
    )
    func restarted(code: URLError.Code) {
        let first = PlatformError(URLError(code), isAnswered: false, mayHaveBeenSent: false)
        #expect(first.sent == .nothing)
        let again = PlatformError(URLError(code), isAnswered: false, mayHaveBeenSent: true)
        #expect(again.sent == .maybe)
        #expect(again.kind == first.kind)
    }

    @Test("A request may have gone out before when its body was asked for again, or a POST has none to ask for")
    func starts() {
        let body = Upload.bytes(Data("a".utf8))
        #expect(!body.mayHaveBeenSent(starts: 1, method: .post))
        #expect(body.mayHaveBeenSent(starts: 2, method: .post))
        #expect(Upload.none.mayHaveBeenSent(starts: 0, method: .post))
        #expect(!Upload.none.mayHaveBeenSent(starts: 0, method: .get))
    }
}
