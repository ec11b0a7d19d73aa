#if AllTests && ServiceLifecycle
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainRemoteLoggingServiceLifecycle
import HTTPChainTesting
import HTTPTypes
import Logging
import ServiceLifecycle
import Testing
import UnixSignals

@Suite("A log shipper as a service", .timeLimit(.minutes(10)))
struct LogShipperServiceTests {
    private struct Broken: Error {}

    /// Does a thing, and logs when the program ends.
    private struct Worker: Service {
        let fixture: ShipperFixture
        let work: @Sendable () async throws -> Void

        func run() async throws {
            fixture.log("begin")
            try await work()
            try await gracefulShutdown()
            fixture.log("end")
        }
    }

    private func group(_ services: any Service...) -> ServiceGroup {
        ServiceGroup(services: services, logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("In a graceful shutdown it is ended last, and what the others logged at the end is sent")
    func graceful() async throws {
        let fixture = ShipperFixture.taking()
        let begun = Rendezvous()
        let group = group(LogShipperService(fixture.shipper), Worker(fixture: fixture) { begun.reach() })
        async let finished: Void = group.run()
        try await begun.wait()
        await group.triggerGracefulShutdown()
        try await finished
        #expect(fixture.delivered == ["begin", "end"])
        #expect(!fixture.shipper.isEnabled(.critical, for: "garden"))
    }

    @Test("When another service fails, what was logged before is still sent")
    func failure() async throws {
        let fixture = ShipperFixture.taking()
        let group = group(LogShipperService(fixture.shipper), Worker(fixture: fixture) { throw Broken() })
        await #expect(throws: Broken.self) { try await group.run() }
        #expect(fixture.delivered == ["begin"])
        #expect(!fixture.shipper.isEnabled(.critical, for: "garden"))
    }

    @Test("A cancelled group is not kept beyond the deadline")
    func cancelled() async throws {
        let gate = Rendezvous()
        let fixture = ShipperFixture { _ in
            try await gate.wait()
            return Response(.ok)
        }
        fixture.log("lost")
        let service = LogShipperService(fixture.shipper, cancellationDeadline: .seconds(2))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) { try await service.run() }
            }
            group.cancelAll()
            try? await fixture.transport.waitForRequests(1)
            try? await fixture.clock.waitForSleepers()
            fixture.clock.advance(by: .seconds(2))
        }
        #expect(fixture.clock.elapsed == .seconds(2))
        #expect(fixture.shipper.statistics.drops[.abandoned].total == 1)
    }

    @Test("Sending does not go on beyond the deadline of a graceful shutdown")
    func deadline() async throws {
        let gate = Rendezvous()
        let fixture = ShipperFixture { _ in
            try await gate.wait()
            return Response(.ok)
        }
        fixture.log("lost")
        let begun = Rendezvous()
        let group = group(
            LogShipperService(fixture.shipper, deadline: .seconds(7)),
            Worker(fixture: fixture) { begun.reach() }
        )
        async let finished: Void = group.run()
        try await begun.wait()
        await group.triggerGracefulShutdown()
        try await fixture.transport.waitForRequests(1)
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(7))
        try await finished
        let statistics = fixture.shipper.statistics
        #expect(statistics.accepted == 3)
        #expect(statistics.drops[.abandoned].total == 3)
    }

    @Test("The example of LogShipperService works")
    func documentation() async throws {
        let fixture = ShipperFixture.taking()
        let (shipper, logger) = (fixture.shipper, Logger(label: "a") { _ in SwiftLogNoOpLogHandler() })
        let server = Worker(fixture: fixture) {}
        let group = ServiceGroup(
            services: [LogShipperService(shipper, deadline: .seconds(10)), server],
            gracefulShutdownSignals: [.sigterm],
            logger: logger
        )
        await group.triggerGracefulShutdown()
        try await group.run()
        #expect(fixture.delivered.contains("end"))
    }
}
#endif
