import HTTPChainCore

/// A provider of credentials with a memory: calls at the same time ask it once, and an answer serves until it is
/// rejected.
package final class CredentialSource: Sendable {
    /// Realms are named by servers, so that there must be an end to them.
    private static let capacity = 256

    private let provider: any CredentialProvider
    private let known = Locked<[ProtectionSpace: Credential]>([:])
    private let flights = SingleFlight<ProtectionSpace, Credential?>()

    package init(_ provider: any CredentialProvider) {
        self.provider = provider
    }

    /// The credential that was given for the space before, if it is not the one that was rejected; else the provider's.
    ///
    /// - Parameters:
    ///   - space: Who asks.
    ///   - rejected: What the server has just rejected.
    ///   - stage: The stage that asks, for the error.
    /// - Returns: Never the rejected one; `nil` when there is no other, and for an origin that the provider's credentials
    ///   are not for.
    /// - Throws: ``AuthenticationError``; `CancellationError` when the caller is cancelled.
    package func credential(
        for space: ProtectionSpace,
        rejected: Credential? = nil,
        stage: String
    ) async throws -> Credential? {
        guard provider.origins.contains(space.origin) else { return nil }
        if let credential = known.withLock({ $0[space] }), credential != rejected { return credential }
        do {
            let credential = try await ask(for: space, rejected)
            // The answer to a call that had not tried this credential yet is no answer to one that has.
            guard credential != nil, credential == rejected else { return credential }
            return try await ask(for: space, rejected)
        } catch is CancellationError {
            throw CancellationError()
        } catch is SingleFlightReentry {
            throw AuthenticationError(.providerWaitsForItself(space), stage: stage)
        } catch let error as AuthenticationError where error.isReentry {
            throw error
        } catch {
            throw AuthenticationError(.providerFailed(space), stage: stage, underlyingError: error)
        }
    }

    /// Forgets a credential of a space, so that the provider is asked again.
    package func forget(_ credential: Credential, for space: ProtectionSpace) {
        known.withLock { known in
            if known[space] == credential { known[space] = nil }
        }
    }

    private func ask(for space: ProtectionSpace, _ rejected: Credential?) async throws -> Credential? {
        try await flights.run(space) { [self] in
            // Another flight may have ended between the look at the memory and this one.
            if let credential = known.withLock({ $0[space] }), credential != rejected { return credential }
            let answer = try await provider.credential(for: space, rejected: rejected)
            let credential = answer == rejected ? nil : answer
            known.withLock { known in
                if known.count >= Self.capacity, known[space] == nil { known.removeAll() }
                known[space] = credential
            }
            return credential
        }
    }
}

extension AuthenticationError {
    /// Whether a provider waits for itself, however deep.
    fileprivate var isReentry: Bool {
        if case .providerWaitsForItself = problem { true } else { false }
    }
}
