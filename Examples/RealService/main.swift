// A service that calls three others within the time limit of its own caller. It has a circuit breaker, hedging and a
// log, and shuts down without losing a request.
//
//     swift run RealService
//
// The upstreams, the collector of logs, and the visitors run in this process.

import Foundation
import HTTPChain
import HTTPChainLogShipper
import HTTPChainTesting

do {
    // On Linux, a service uses AsyncHTTPClientTransport instead (trait AsyncHTTPClient).
    let transport = URLSessionTransport()
    let upstreams = Upstreams()
    let collector = try await upstreams.startCollector()
    let catalog = try await upstreams.startCatalog()
    let prices = try await upstreams.startPrices()
    let reviews = try await upstreams.startReviews()
    let shipper = LogShipper(
        to: collector.url("/logs"),
        format: .ndjson,
        resource: LogResource(serviceName: "Storefront"),
        over: transport
    )
    let storefront = try Storefront(
        catalog: catalog.origin,
        prices: prices.origin,
        reviews: reviews.origin,
        over: transport,
        log: shipper
    ) { change in print("  breaker: \(change)") }
    let gate = Gate()
    let front = try await startFront(storefront, behind: gate)

    let visitors = try Chain(transport: transport) { URLBuilderMiddleware(base: front.origin) }
    @Sendable func visit(_ id: Int, budget: Int = 10_000) async throws -> String {
        let request = Request.get("pages/{id}", path: ["id": id], headers: HTTPFields([budgetField: "\(budget)"]))
        let response = try await visitors.send(request)
        return "\(response.status.code) \(try await response.body.text())"
    }

    print("Three upstreams: \(try await visit(7))")
    print("A stuck request: \(try await visit(8))")
    print("  requests for the price: \(await upstreams.visits(of: "/prices/8"))")
    for _ in 1...3 { print("Without reviews: \(try await visit(5))") }
    print("A budget of 150 ms: \(try await visit(9, budget: 150))")

    async let signalled: Void = termination()
    async let last = visit(6)
    // The signal arrives while a request is in flight.
    while await gate.count == 0 { try await Task.sleep(for: .milliseconds(50)) }
    kill(getpid(), SIGTERM)
    await signalled
    async let ended: Void = gate.close()
    while try await !visit(7).hasPrefix("503") {}
    print("After SIGTERM: refused")
    await ended
    print("In flight: \(try await last)")
    for server in [front, catalog, prices, reviews] { await server.stop() }
    let result = try await shipper.shutdown(deadline: .seconds(10))
    print("Log: \(await upstreams.records) records arrived, \(result)")
} catch {
    print("\(error)")
    exit(1)
}
