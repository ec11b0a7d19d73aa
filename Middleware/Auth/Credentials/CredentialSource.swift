import HTTPChainCore

/// A caching credential provider: concurrent calls ask it once, and its result is reused until rejected.
package final class CredentialSource: Sendable {
    /// Bounded, because servers choose the realms.
    private static let capacity = 256

    private let provider: any CredentialProvider
    private let known = Locked<[ProtectionSpace: Credential]>([:])
    private let flights = SingleFlight<ProtectionSpace, Void, Credential?>()

    package init(_ provider: any CredentialProvider) {
        self.provider = provider
    }

    /// Returns the cached credential for the space, unless it is the rejected one; otherwise the provider's.
    ///
    /// - Parameters:
    ///   - space: The protection space.
    ///   - rejected: The credential that the server has just rejected.
    ///   - stage: The requesting stage, for the error.
    /// - Returns: A credential other than the rejected one, or `nil` if there is none or the provider has none for the
    ///   origin.
    /// - Throws: ``AuthenticationError``; `CancellationError` if the caller is cancelled.
    package func credential(
        for space: ProtectionSpace,
        rejected: Credential? = nil,
        stage: String
    ) async throws -> Credential? {
        guard provider.origins.contains(space.origin) else { return nil }
        if let credential = known.withLock({ $0[space] }), credential != rejected { return credential }
        do {
            let credential = try await ask(for: space, rejected)
            // A result shared with a call that hadn't tried this credential yet is useless to one that has.
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

    /// Removes a credential of a space from the cache, so that the provider is asked again.
    package func forget(_ credential: Credential, for space: ProtectionSpace) {
        known.withLock { known in
            if known[space] == credential { known[space] = nil }
        }
    }

    private func ask(for space: ProtectionSpace, _ rejected: Credential?) async throws -> Credential? {
        try await flights.run(space) { [self] in
            // Another flight may have ended since the cache was checked.
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
    /// Whether a provider waits for itself, at any depth.
    fileprivate var isReentry: Bool {
        if case .providerWaitsForItself = problem { true } else { false }
    }
}
