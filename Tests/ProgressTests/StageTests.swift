#if AllTests
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("The stage", .timeLimit(.minutes(10)))
struct StageTests {
    struct Setting: Sendable, CustomTestStringConvertible {
        let view: TransferProgress.View
        let observation: String
        var testDescription: String { "\(view), \(observation)" }
    }

    static let settings = [TransferProgress.View.consumer, .wire].flatMap { view in
        ["by nobody", "by the call", "by the stage", "by a sequence", "by Foundation", "as it is read"].map {
            Setting(view: view, observation: $0)
        }
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases, settings)
    func conforms(check: StageConformance.Check, setting: Setting) async throws {
        let ignoring: @Sendable (TransferProgress, HTTPRequest) -> Void = { _, _ in }
        let observer = setting.observation == "by the stage" ? ignoring : nil
        let makeRequest: @Sendable () -> Request = {
            let request = StageConformance.defaultRequest
            switch setting.observation {
            case "by the call", "as it is read": return request.progress { _ in }
            case "by a sequence": return request.observingProgress().request
            case "by Foundation": return request.reportingFoundationProgress().request
            default: return request
            }
        }
        let conformance = StageConformance(request: makeRequest) {
            ProgressMiddleware(
                setting.view,
                countsUploadsAsRead: setting.observation == "as it is read",
                observer: observer
            )
        }
        try await conformance.verify(check)
    }

    @Test("The stage is in the phase of its view")
    func phases() {
        #expect(ProgressMiddleware().phase == .call)
        #expect(ProgressMiddleware(.wire).phase == .wire)
    }

    @Test("The summary of the stage names the view, the rate and the observer")
    func summary() {
        let summary = ProgressMiddleware(.wire, reportsPerSecond: 4) { _, _ in }.summary
        #expect(summary.settings.map(\.value) == ["wire", "4.0 a second", "all calls"])
    }

    @Test("A wire view inside of a stage that sends again wants to know when the call is over")
    func wireAlone() throws {
        let resending = resending(2)
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                resending
                ProgressMiddleware(.wire)
            }
        }
        _ = try Chain(transport: InMemoryTransport()) {
            ProgressMiddleware()
            resending
            ProgressMiddleware(.wire)
        }
        _ = try Chain(transport: InMemoryTransport()) {
            resending
            ProgressMiddleware(.wire) { _, _ in }
        }
        _ = try Chain(transport: InMemoryTransport()) { ProgressMiddleware(.wire) }
    }

    @Test("A wire view wants a transport that tells what it sends")
    func transportWithoutReports() throws {
        let transport = InMemoryTransport(capabilities: [.streamsUploads])
        #expect(throws: ChainOrderError.self) { try Chain(transport: transport) { ProgressMiddleware(.wire) } }
        _ = try Chain(transport: transport) { ProgressMiddleware() }
        _ = try Chain(transport: transport) { ProgressMiddleware(.wire, countsUploadsAsRead: true) }
    }
}
#endif
