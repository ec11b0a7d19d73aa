import FlyingFox

/// Limits the number of concurrent requests, and refuses others.
actor Gate {
    private let limit: Int
    private var inside = 0

    init(limit: Int) {
        self.limit = limit
    }

    func pass<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        guard inside < limit else {
            throw Refusal(
                status: .serviceUnavailable,
                reason: "Too many requests at a time: send it again in a second.",
                closes: true
            )
        }
        inside += 1
        defer { inside -= 1 }
        return try await work()
    }
}
