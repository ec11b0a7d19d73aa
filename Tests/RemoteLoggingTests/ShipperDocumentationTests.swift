#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import Testing

@Suite("The example of the log shipper")
struct ShipperDocumentationTests {
    @Test("A record logged is sent compressed, at the latest by the shutdown")
    func example() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let format = LineFormat()

        let shipper = LogShipper(
            to: "https://logs.example.com/v1/logs",
            format: format,
            resource: LogResource(serviceName: "plants", serviceVersion: "2.1"),
            over: try Chain(transport: transport) { GzipMiddleware(requests: .standard) }
        )
        shipper.log(LogRecord(date: Date(), level: .info, component: "garden", message: "watered"))
        try await shipper.shutdown(deadline: .seconds(30))

        #expect(transport.requests.map(\.text) == ["info garden watered\n"])
        #expect(shipper.statistics.acknowledged == 1)
    }
}
#endif
