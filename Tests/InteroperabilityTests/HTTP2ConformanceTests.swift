#if AllTests
import Foundation
import HTTPChain
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

/// The requirements for all transports that only a server of HTTP/2 can check.
@Suite("Transports conform over HTTP/2", .serialized, .heavy, .timeLimit(.minutes(10)))
struct HTTP2ConformanceTests {
    typealias Check = TransportConformance.Check

    static let checks = Check.allCases.filter(\.needsHTTP2)

    @Test("A transport meets every requirement that its platform doesn't rule out", arguments: Carrier.trusting, checks)
    func conforms(carrier: Carrier, check: Check) async throws {
        guard let origin = Server.frames.base() else { return }
        let suite = TransportConformance(
            excluding: carrier.excluded,
            http2: origin,
            shutDown: { transport in
                #if AsyncHTTPClient
                try await (transport as? AsyncHTTPClientTransport)?.shutdown()
                #endif
            },
            make: { try carrier.secureTransport() }
        )
        #expect(suite.checks.filter(\.needsHTTP2) == Self.checks.filter { carrier.excluded[$0] == nil })
        #expect(try await suite.verify(check) == carrier.excluded[check].map { .skipped($0) } ?? .passed)
    }

    #if AsyncHTTPClient
    @Test("A transport with a defect fails the check for it", arguments: zip(FaultyTransport.Fault.allCases, checks))
    func fails(fault: FaultyTransport.Fault, check: Check) async throws {
        guard let origin = Server.frames.base() else { return }
        let suite = TransportConformance(http2: origin) {
            FaultyTransport(transport: try Carrier.asyncHTTPClient.secureTransport(), fault: fault)
        }
        let failure = try await #require(throws: ConformanceFailure.self) { _ = try await suite.verify(check) }
        #expect(failure.check == check)
        #expect(failure.description.contains(check.rawValue))
    }
    #endif
}

/// A transport with one defect.
struct FaultyTransport: Transport {
    /// In the order of the checks that find them.
    enum Fault: CaseIterable {
        /// A request that certainly wasn't sent may have been.
        case hidesUnsent
        case losesResponseAfterGoAway
        /// Sends a request again although the server may have processed it.
        case resends
        case throwsForEarlyResponse
    }

    let transport: any Transport
    let fault: Fault

    var capabilities: TransportCapabilities { transport.capabilities }

    func send(_ request: consuming Request) async throws -> Response {
        let request = request
        let lost = TransportError(.connectionLost, sent: .maybe)
        let response: Response
        do {
            response = try await transport.send(request)
        } catch let error as TransportError where error.kind == .connectionLost {
            switch fault {
            case .hidesUnsent: throw lost
            case .resends: return try await transport.send(request)
            default: throw error
            }
        }
        if fault == .throwsForEarlyResponse, response.status == .contentTooLarge { throw lost }
        if fault == .losesResponseAfterGoAway, request.head.path == "/goaway/after" { throw lost }
        return response
    }
}

extension Carrier {
    /// The checks that it can't pass over HTTP/2, each with the reason.
    fileprivate var excluded: [TransportConformance.Check: String] {
        #if canImport(FoundationNetworking)
        if self == .urlSession {
            return [
                .unprocessedIsUnsent: "libcurl doesn't report whether the server processed a request",
                .earlyAnswerCounts: "libcurl loses some responses to unfinished uploads",
            ]
        }
        #endif
        return [:]
    }
}
#endif
