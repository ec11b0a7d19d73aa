import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// A policy whose waits a test can foretell: 1 s, 2 s, 4 s.
func plainPolicy(
    maximumAttempts: Int = 3,
    totalTime: Duration? = nil,
    retryAfterLimit: Duration = .seconds(60)
) -> RetryPolicy {
    RetryPolicy(
        maximumAttempts: maximumAttempts,
        totalTime: totalTime,
        backoff: Backoff(base: .seconds(1), jitter: .none),
        retryAfterLimit: retryAfterLimit
    )
}

func lost(_ sent: TransportError.Sent = .maybe, _ kind: TransportError.Kind = .connectionLost) -> TransportError {
    TransportError(kind, sent: sent, stage: "test")
}

struct TestTimeout: TimeoutFailure {
    let scope: TimeoutScope
    var stage: String { "test" }
    var reason: String { "\(scope) ran out" }
}

struct OtherError: Error, Equatable {}

let url = "https://api.example.com/items"

/// A body that can be read once, and says when nobody can read it any more.
func oneShot(_ text: String, onRelease: @escaping @Sendable () -> Void = {}) -> HTTPBody {
    .chunks([text], length: Int64(text.utf8.count), lifeline: Lifeline(onRelease))
}
