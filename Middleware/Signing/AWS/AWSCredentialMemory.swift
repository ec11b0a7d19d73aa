import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Caches a provider's credentials until they are about to expire or are forgotten.
final class AWSCredentialMemory: Sendable {
    private struct State {
        var credentials: AWSCredentials?
        /// The number of times that credentials were forgotten.
        var generation = 0
    }

    private typealias Answer = (credentials: AWSCredentials, generation: Int)

    private let provider: any AWSCredentialProvider
    private let leeway: TimeInterval
    private let kept: Locked<State>
    private let flight = SingleFlight<Int, Void, Answer>()

    /// - Parameter leeway: The time before expiration at which credentials are replaced.
    init(_ provider: any AWSCredentialProvider, leeway: Duration) {
        self.provider = provider
        self.leeway = leeway / .seconds(1)
        kept = Locked(State(credentials: provider as? AWSCredentials))
    }

    /// Forgets the credentials, so that the provider is called again.
    func forget() {
        kept.withLock { $0 = State(generation: $0.generation &+ 1) }
    }

    /// - Throws: ``SigningError/Problem/noCredentials``, ``SigningError/Problem/credentialsExpired(_:)``.
    func credentials(for request: Request) async throws -> AWSCredentials {
        let now = request.environment.time.date
        let (current, generation) = kept.withLock { ($0.credentials, $0.generation) }
        if let current, !expires(current, by: now.addingTimeInterval(leeway)) { return current }
        let provided: AWSCredentials
        do {
            provided = try await request.withinDeadline { [self] in
                var answer = try await ask()
                // A request to the provider that began before the credentials were forgotten may return the old ones.
                if answer.generation < generation { answer = try await ask() }
                return answer.credentials
            }
        } catch {
            if error is CancellationError || error is TimeoutError { throw error }
            // If requesting new credentials failed, the old ones are used until they expire.
            if let current, !expires(current, by: now) { return current }
            throw SigningError(.noCredentials, cause: error)
        }
        if let end = provided.expiration, end <= now { throw SigningError(.credentialsExpired(end)) }
        return provided
    }

    private func ask() async throws -> Answer {
        try await flight.run(0) { [self] in
            let generation = kept.withLock { $0.generation }
            let credentials = try await provider.credentials()
            kept.withLock { kept in
                if kept.generation == generation { kept.credentials = credentials }
            }
            return (credentials, generation)
        }
    }

    private func expires(_ credentials: AWSCredentials, by date: Date) -> Bool {
        credentials.expiration.map { $0 <= date } ?? false
    }
}
