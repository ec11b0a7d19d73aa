import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import Testing

let url = "https://api.example.com/reports/7?token=secret"

/// A server that is a closure.
struct Server: Transport {
    var capabilities: TransportCapabilities { [.streamsUploads, .reportsUploadProgress] }
    let answer: @Sendable (Request) async throws -> Response

    init(_ answer: @escaping @Sendable (Request) async throws -> Response) {
        self.answer = answer
    }

    /// Answers after a while, unless it is cancelled.
    init(after delay: Duration, _ response: @escaping @Sendable () -> Response = { Response(.ok) }) {
        answer = { request in
            try await request.environment.time.sleep(for: delay)
            return response()
        }
    }

    /// Never answers.
    static var silent: Server { Server(after: .seconds(1 << 30)) }

    func send(_ request: consuming Request) async throws -> Response {
        try await answer(request)
    }
}

/// Sends again after each failure that leaves time for it, as a retry stage does.
struct Again: Middleware {
    let pause: Duration
    let limit: Int
    var phase: Phase { .retry }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        var request = request
        while true {
            do {
                return try await next(request)
            } catch let error as any TimeoutFailure where error.scope != .call && request.attempt < limit {
                try await request.environment.time.sleep(for: pause)
                request.attempt += 1
            }
        }
    }
}

/// The timeout that a call ends with.
func timeout(
    of work: sending @isolated(any) () async throws -> some Sendable,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> TimeoutError {
    do {
        _ = try await work()
        throw Expected(what: "a TimeoutError", instead: "success")
    } catch let error as TimeoutError {
        return error
    } catch let error as Expected {
        throw error
    } catch {
        throw Expected(what: "a TimeoutError", instead: "\(error)")
    }
}

struct Expected: Error {
    let what: String
    let instead: String
}

func makeChain(_ stages: [any Middleware], _ transport: any Transport) throws -> Chain {
    try Chain(stages, transport: transport)
}
