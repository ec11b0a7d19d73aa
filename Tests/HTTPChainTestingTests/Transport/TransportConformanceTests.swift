#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// The suite itself: it passes what is right and finds each thing that is wrong.
@Suite(.serialized, .heavy)
struct TransportConformanceTests {
    typealias Check = TransportConformance.Check

    static let right = TransportConformance(inMemory: { DirectTransport($0) })

    @Test("A transport that does as it should passes", .timeLimit(.minutes(10)), arguments: right.checks)
    func passes(_ check: Check) async throws {
        let outcome = try await Self.right.verify(check)
        if check == .uploadProgressIsReported {
            #expect(outcome == .skipped("the transport does not claim to report upload progress"))
        } else {
            #expect(outcome == .passed)
        }
    }

    static let faults: [(DirectTransport.Defect, Check)] = [
        (.sendsInvalidRequests, .invalidRequestsAreRefused), (.decodesThePath, .targetArrives),
        (.cutsLongBodies, .bodyKindsArrive), (.cutsLongBodies, .bigUploadArrives),
        (.cutsLongBodies, .methodsArrive), (.dropsRepeatedFields, .repeatedFieldsArrive),
        (.dropsRepeatedFields, .setCookiesArrive), (.splitsCookies, .commasMakeNoCookies),
        (.hidesUploadErrors, .shortUploadFails),
        (.hidesUploadErrors, .longUploadFails), (.hidesUploadErrors, .failingUploadFails),
        (.progressStopsShort, .uploadProgressIsReported), (.followsRedirects, .redirectsAreNotFollowed),
        (.keepsCookies, .cookiesAreNotKept), (.throwsOnErrorStatus, .errorStatusesAreResponses),
        (.throwsOnErrorStatus, .challengesAreDelivered), (.answersChallenges, .challengesAreDelivered),
        (.buffersResponses, .readOnce), (.wrapsCancellation, .cancellingEndsWaiting),
        (.wrapsCancellation, .cancellingEndsUpload), (.sendsWhenCancelled, .cancelledTaskSendsNothing),
        (.losesRequestsUnderLoad, .manyAtOnce), (.leaksFiles, .manyAtOnce),
        (.shortensFields, .requestFieldsArrive), (.changesMethods, .methodsArrive),
    ]

    @Test("A transport with a defect fails the check for it", .timeLimit(.minutes(10)), arguments: faults)
    func fails(_ defect: DirectTransport.Defect, _ check: Check) async throws {
        let suite = TransportConformance(inMemory: { DirectTransport($0, defect: defect) })
        let failure = try await #require(throws: ConformanceFailure.self) { _ = try await suite.verify(check) }
        #expect(failure.check == check)
        #expect(failure.description.contains(check.rawValue))
        #expect(!failure.expected.isEmpty && !failure.seen.isEmpty)
    }

    @Test("A transport that says it keeps cookies, or follows redirects, is not asked to leave that to stages")
    func declared() async throws {
        let table: [(TransportCapabilities, DirectTransport.Defect, Check)] = [
            (.handlesCookies, .keepsCookies, .cookiesAreNotKept),
            (.followsRedirects, .followsRedirects, .redirectsAreNotFollowed),
        ]
        for (capability, behaviour, check) in table {
            let suite = TransportConformance(inMemory: { handler in
                var transport = DirectTransport(handler, defect: behaviour)
                transport.capabilities.insert(capability)
                return transport
            })
            guard case .skipped(let reason) = try await suite.verify(check) else {
                Issue.record("\(check) was held against it")
                continue
            }
            #expect(reason.hasPrefix("the transport says that it "), "\(reason)")
        }
    }

    @Test("A transport that hangs is found out, even if it ignores cancellation", .timeLimit(.minutes(10)))
    func hanging() async throws {
        let suite = TransportConformance(
            limit: .milliseconds(600),
            inMemory: { DirectTransport($0, defect: .ignoresCancellation) }
        )
        let failure = try await #require(throws: ConformanceFailure.self) {
            _ = try await suite.verify(.cancellingEndsWaiting)
        }
        #expect(failure.seen == "nothing: it hangs")
    }

    @Test("Every defect is found by some check")
    func allDefectsAreCovered() {
        let found = Set(Self.faults.map(\.0)).union([.ignoresCancellation])
        #expect(found == Set(DirectTransport.Defect.allCases))
    }

    @Test("Checks that need a network do not apply without one, and say so")
    func needsNetwork() async throws {
        #expect(Self.right.reasonToSkip(.cutHead) == "the transport has no network")
        #expect(try await Self.right.verify(.cutHead) == .skipped("the transport has no network"))
        #expect(Self.right.checks.allSatisfy { !$0.needsNetwork })
    }

    @Test("An excluded check is skipped with its reason")
    func exclusion() async throws {
        let suite = TransportConformance(
            excluding: [.readOnce: "every body here can be read again"],
            inMemory: { DirectTransport($0, defect: .buffersResponses) }
        )
        #expect(!suite.checks.contains(.readOnce))
        #expect(try await suite.verify(.readOnce) == .skipped("every body here can be read again"))
    }

    @Test("The check of timeouts needs a transport with a short one, and those of HTTP/2 a server")
    func timeouts() {
        let suite = TransportConformance { DirectTransport({ _ in Response(.ok) }) }
        #expect(suite.reasonToSkip(.timeoutFails) != nil)
        #expect(suite.reasonToSkip(.lostStreamsAreNotResent) == "no server of HTTP/2 was given")
        #expect(suite.checks.count == Check.allCases.count - 5)
        let served = TransportConformance(http2: "https://localhost") { DirectTransport({ _ in Response(.ok) }) }
        #expect(served.checks == Check.allCases.filter { $0 != .timeoutFails })
    }

    @Test("Every check has a sentence of its own")
    func sentences() {
        #expect(Set(Check.allCases.map(\.description)).count == Check.allCases.count)
    }
}
#endif
