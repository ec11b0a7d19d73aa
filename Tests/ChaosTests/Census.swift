#if AllTests
import Foundation
import HTTPChainCore

/// Counts what is alive: response bodies that somebody still holds, and tasks that wait on the clock.
final class Census: Sendable {
    private struct Counts: Sendable {
        var bodies = 0
        var bodiesEver = 0
        var sleepers = 0
    }
    private let counts = Locked(Counts())

    var bodies: Int { counts.withLock { $0.bodies } }
    var bodiesEver: Int { counts.withLock { $0.bodiesEver } }
    var sleepers: Int { counts.withLock { $0.sleepers } }

    /// A stage next to the transport that counts each response's body until it is gone.
    var stage: ClosureMiddleware {
        ClosureMiddleware("Census", phase: .wire) { [self] request, next in
            var response = try await next(request)
            let registration = Registration(of: self)
            response.body = response.body.transformed(length: response.body.length) { inner in
                CountedReader(inner: inner, registration: registration)
            }
            return response
        }
    }

    /// The system's clock, which counts who waits on it.
    var time: some TimeSource { CountingTime(census: self) }

    private final class Registration: Sendable {
        private let census: Census

        init(of census: Census) {
            self.census = census
            census.counts.withLock { counts in
                counts.bodies += 1
                counts.bodiesEver += 1
            }
        }

        deinit {
            census.counts.withLock { $0.bodies -= 1 }
        }
    }

    private struct CountedReader: BodyReader {
        var inner: any BodyReader
        let registration: Registration

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            try await inner.read()
        }
    }

    private struct CountingTime: TimeSource {
        let census: Census
        private let system = SystemTime()

        init(census: Census) {
            self.census = census
        }

        var elapsed: Duration { system.elapsed }
        var date: Date { system.date }

        func sleep(for duration: Duration) async throws {
            census.counts.withLock { $0.sleepers += 1 }
            defer { census.counts.withLock { $0.sleepers -= 1 } }
            try await system.sleep(for: duration)
        }
    }
}
#endif
