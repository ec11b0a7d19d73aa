import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Caches a provider's credentials until they are about to expire.
final class AWSCredentialMemory: Sendable {
    private let provider: any AWSCredentialProvider
    private let leeway: TimeInterval
    private let kept: Locked<AWSCredentials?>
    private let flight = SingleFlight<Int, Void, AWSCredentials>()

    /// - Parameter leeway: The time before expiration at which credentials are replaced.
    init(_ provider: any AWSCredentialProvider, leeway: Duration) {
        self.provider = provider
        self.leeway = leeway / .seconds(1)
        kept = Locked(provider as? AWSCredentials)
    }

    /// - Throws: ``SigningError/Problem/noCredentials``, ``SigningError/Problem/credentialsExpired(_:)``.
    func credentials(for request: Request) async throws -> AWSCredentials {
        let now = request.environment.time.date
        let current = kept.withLock { $0 }
        if let current, !expires(current, by: now.addingTimeInterval(leeway)) { return current }
        let provided: AWSCredentials
        do {
            provided = try await request.withinDeadline { [self] in
                try await flight.run(0) { [self] in
                    let credentials = try await provider.credentials()
                    kept.withLock { $0 = credentials }
                    return credentials
                }
            }
        } catch {
            if error is CancellationError || error is TimeoutError { throw error }
            // If replacing them failed, the old credentials are used until they expire.
            if let current, !expires(current, by: now) { return current }
            throw SigningError(.noCredentials, cause: error)
        }
        if let end = provided.expiration, end <= now { throw SigningError(.credentialsExpired(end)) }
        return provided
    }

    private func expires(_ credentials: AWSCredentials, by date: Date) -> Bool {
        credentials.expiration.map { $0 <= date } ?? false
    }
}
