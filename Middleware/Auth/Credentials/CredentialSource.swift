package import HTTPChainCore

/// A caching credential provider.
///
/// Concurrent calls share one call of the provider, and its result is reused until it is rejected, all credentials are
/// forgotten, or the provider's store changes.
package final class CredentialSource: Sendable {
    /// A credential, and the generation that it belongs to.
    package struct Provided: Sendable {
        package let credential: Credential
        package let generation: UInt64

        package init(_ credential: Credential, of generation: UInt64) {
            self.credential = credential
            self.generation = generation
        }
    }

    private struct State {
        var known: [ProtectionSpace: Credential] = [:]
        var generation: UInt64 = 0
        /// The changes of the provider's store that the generation already includes.
        var changes: UInt64

        mutating func forget() {
            known = [:]
            generation &+= 1
        }
    }

    private typealias Answer = (credential: Credential?, generation: UInt64)

    /// Limited, because servers choose the realms.
    private static let capacity = 256

    private let provider: any CredentialProvider
    private let counting: (any ChangeCountingProvider)?
    private let state: Locked<State>
    private let flights = SingleFlight<ProtectionSpace, Void, Answer>()

    package init(_ provider: any CredentialProvider) {
        self.provider = provider
        counting = provider as? any ChangeCountingProvider
        state = Locked(State(changes: counting?.changes ?? 0))
    }

    /// The generation of credentials that may be sent preemptively.
    ///
    /// It is incremented when credentials are forgotten and when the provider's store has changed. A credential of an
    /// earlier generation may be another user's.
    package var generation: UInt64 {
        let changes = counting?.changes ?? 0
        return state.withLock { state in
            if changes > state.changes {
                state.changes = changes
                state.forget()
            }
            return state.generation
        }
    }

    /// Checks that a credential may be sent with a request whose call has used one before.
    ///
    /// - Throws: `UserChangedError` if the credentials were forgotten or replaced since then.
    package func requireSameUser(
        in generation: UInt64,
        for request: borrowing Request,
        stage: String
    ) throws(UserChangedError) {
        let epoch = UInt32(truncatingIfNeeded: generation)
        guard let identity = request.callIdentity, !identity.admits(epoch: epoch, of: self) else { return }
        let exchange = ExchangeSnapshot(request.head, redaction: request.redaction)
        throw UserChangedError("credential", of: stage, exchange: exchange)
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
    ) async throws -> Provided? {
        guard provider.origins.contains(space.origin) else { return nil }
        let generation = generation
        if let credential = state.withLock({ $0.known[space] }), credential != rejected {
            return Provided(credential, of: generation)
        }
        do {
            var answer = try await ask(for: space, rejected)
            // A flight that began before the credentials were forgotten may return those of a former user.
            if answer.generation < generation { answer = try await ask(for: space, rejected) }
            // The result may be shared with a call that hasn't tried this credential yet, and this call already has.
            if answer.credential != nil, answer.credential == rejected { answer = try await ask(for: space, rejected) }
            return answer.credential.map { Provided($0, of: answer.generation) }
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
        state.withLock { state in
            if state.known[space] == credential { state.known[space] = nil }
        }
    }

    /// Removes all credentials from the cache, and starts a new generation.
    package func forgetAll() {
        state.withLock { $0.forget() }
    }

    private func ask(for space: ProtectionSpace, _ rejected: Credential?) async throws -> Answer {
        try await flights.run(space) { [self] in
            let generation = generation
            // Another flight may have ended since the cache was checked.
            if let credential = state.withLock({ $0.known[space] }), credential != rejected {
                return (credential, generation)
            }
            let counted = try await counting?.answer(for: space, rejected: rejected)
            let answer =
                if let counted { counted.credential } else {
                    try await provider.credential(for: space, rejected: rejected)
                }
            let credential = answer == rejected ? nil : answer
            state.withLock { state in
                guard state.generation == generation else { return }
                // If the provider itself stored its result, that doesn't count as a change.
                if let counted, counted.before == state.changes { state.changes = counted.after }
                if state.known.count >= Self.capacity, state.known[space] == nil { state.known.removeAll() }
                state.known[space] = credential
            }
            return (credential, generation)
        }
    }
}

extension AuthenticationError {
    /// Whether the error was caused, at any depth, by a provider that waits for itself.
    fileprivate var isReentry: Bool {
        if case .providerWaitsForItself = problem { true } else { false }
    }
}
