import Foundation
import HTTPChainCore

/// The details of an exchange with the server that are needed to store its response.
struct CacheExchange: Sendable {
    private(set) var question: CacheQuestion
    private(set) var variants: [CacheEntry]
    /// The clock of the call.
    let time: any TimeSource
    let sentAt: Date
    /// The stamp of the invalidation log when the request was sent.
    var stamp: UInt64
    /// The number of responses that had been stored when the request was sent.
    private(set) var commits: UInt64
    /// The recording counter when the request was sent.
    private(set) var claims: UInt64
    /// The request for evaluating the partition again; nil if the partition's result never changes.
    let owned: Request?
    private let partition: UserPartition

    init(
        _ question: CacheQuestion,
        of request: borrowing Request,
        variants: [CacheEntry],
        _ partition: UserPartition,
        _ log: InvalidationLog
    ) {
        self.question = question
        self.variants = variants
        time = request.environment.time
        sentAt = time.date
        self.partition = partition
        owned = partition.seesUsers ? copy request : nil
        stamp = log.stamp
        commits = log.commits
        claims = log.claims.stamp
    }

    /// The same exchange, for storing its response as the response to another request of the same user.
    func asking(_ question: CacheQuestion, _ log: InvalidationLog) -> CacheExchange {
        var exchange = self
        exchange.question = question
        exchange.variants = []
        (exchange.stamp, exchange.commits, exchange.claims) = (log.stamp, log.commits, log.claims.stamp)
        return exchange
    }

    /// The response of the exchange.
    func received(_ response: borrowing Response, at date: Date) -> ReceivedResponse {
        ReceivedResponse(response.head, to: response.request, sentAt: sentAt, receivedAt: date)
    }

    /// Whether the user is still the one that the request was sent for.
    func isStillOwned(_ key: CacheKey) async -> Bool {
        guard let owned else { return true }
        return await partition.isOwner(key.partition, of: owned)
    }

    /// Whether the user is still the one whose stored responses serve the request.
    var isStillOwned: Bool {
        get async {
            guard let key = question.key else { return true }
            return await isStillOwned(key)
        }
    }

    static let disowned = "the user has changed since the request"
    static let remembered = "a fallback remembered it from an earlier call"
}
