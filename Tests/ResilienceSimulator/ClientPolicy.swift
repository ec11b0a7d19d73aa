package import HTTPChainCircuitBreaker
package import HTTPChainConcurrencyLimit
package import HTTPChainHedging
package import HTTPChainLoadShedding
package import HTTPChainRateLimit

/// What a client does beside sending: the rules of the stages, as they stand in the stages.
package struct ClientPolicy: Sendable {
    package var name: String
    package var concurrency: ConcurrencyAlgorithm?
    /// How many calls wait for a place.
    package var queue = 100
    /// How many seconds a call waits for a place.
    package var longestWait = 0.2
    package var breaker: CircuitBreakerPolicy?
    package var shedding: LoadSheddingPolicy?
    package var hedging: HedgingPolicy?
    /// Limits of the rate of calls to one server: `nil` for no such stage, empty for what the server tells alone.
    package var rate: [RateLimit]?
    /// How many seconds a call waits for the rate.
    package var longestTurn = 0.5
    /// How often a call is sent at most.
    package var attempts = 1
    /// What share of the calls retries and hedges may add; `nil` for any.
    package var budget: Double?

    package init(_ name: String, concurrency: ConcurrencyAlgorithm? = nil) {
        self.name = name
        self.concurrency = concurrency
    }

    /// The rules that find a limit, beside none and a number that somebody chose well.
    package static let limits: [ClientPolicy] = [
        ClientPolicy("none"), ClientPolicy("fixed 8", concurrency: .fixed(8)),
        ClientPolicy("AIMD", concurrency: .aimd()),
        ClientPolicy("Vegas", concurrency: .vegas()), gradient2, adaptive,
    ]

    /// Nothing, a limit that somebody knows, and the server's own fields.
    package static let rates: [ClientPolicy] = {
        var known = ClientPolicy("own limit")
        // A bucket as large as the quota would let two quotas through in the second in which it was full.
        known.rate = [RateLimit(60, per: .seconds(1), burst: 5)]
        var told = ClientPolicy("server's")
        told.rate = []
        return [ClientPolicy("none"), known, told]
    }()

    /// The rule of Netflix.
    package static let gradient2 = ClientPolicy("Gradient2", concurrency: .gradient2())

    /// The rule that is the stage's own.
    package static let adaptive = ClientPolicy("adaptive", concurrency: .adaptive())
}
