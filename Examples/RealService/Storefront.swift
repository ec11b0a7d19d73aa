import Foundation
import HTTPChain
import HTTPChainMetrics

struct ProductPage: Codable, Sendable {
    var name: String
    var price: Int
    var reviews: [String]
}

/// The field with the time left for a request, in milliseconds.
let budgetField = "X-Budget-Milliseconds"

/// The service's three upstreams.
struct Storefront: Sendable {
    private let catalog: Chain
    private let prices: Chain
    private let reviews: Chain

    init(
        catalog: String,
        prices: String,
        reviews: String,
        over transport: some Transport,
        log: some LogSink,
        onChange: @escaping @Sendable (CircuitChange) -> Void
    ) throws {
        let extra = RetryBudget(share: 0.1, minimumPerSecond: 2)
        let upstream = try Chain(transport: transport) {
            RemoteLoggingMiddleware(log)
            MetricsMiddleware(each: .call)
            TimeoutMiddleware(.seconds(10))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: catalog)
            HeadersMiddleware([
                .set(budgetField) { request in request.remainingTime.map { "\(Int($0 / .milliseconds(1)))" } }
            ])
            RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: Backoff(base: .milliseconds(20))), budget: extra)
            HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(100))), budget: extra)
            CircuitBreakerMiddleware(.consecutive(failures: 3), observer: onChange)
            ConcurrencyLimitMiddleware()
            AttemptTimeoutMiddleware(connect: .seconds(5), response: .seconds(5))
            MetricsMiddleware()
        }
        self.catalog = upstream
        self.prices = try upstream.replacing(URLBuilderMiddleware.self, with: URLBuilderMiddleware(base: prices))
        // A page without reviews is better than no page.
        let none = Response(.ok, headers: [.contentType: "application/json"], body: "[]")
        self.reviews =
            try upstream
            .replacing(URLBuilderMiddleware.self, with: URLBuilderMiddleware(base: reviews))
            .inserting(FallbackMiddleware(.response(none)), before: RetryMiddleware.self)
    }

    /// Fetches the parts of a page within the time that is left: first the product, and then the others concurrently.
    func page(for id: Int, within budget: Duration) async throws -> ProductPage {
        struct Product: Decodable, Sendable { var name: String }
        struct Price: Decodable, Sendable { var amount: Int }

        let deadline = ContinuousClock.now + budget
        let product = try await catalog.send(
            .get("products/{id}", path: ["id": id]).timeout(budget),
            as: Product.self
        )
        let left = ContinuousClock.now.duration(to: deadline)
        async let price = prices.send(.get("prices/{id}", path: ["id": id]).timeout(left), as: Price.self)
        async let comments = reviews.send(.get("reviews/{id}", path: ["id": id]).timeout(left), as: [String].self)
        return try await ProductPage(name: product.name, price: price.amount, reviews: comments)
    }
}
