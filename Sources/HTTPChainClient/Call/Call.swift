public import HTTPChainCore

/// An unsent call of a client, with its own settings; it is sent when its result is requested.
///
/// ```swift
/// let user = try await client.call(GetUser(id: 42)).key("profile").timeout(.seconds(3)).value
/// ```
///
/// The request is sent each time that ``value``, ``response`` or ``outcome`` is read, and by each `start`. A call
/// retains its client; a started call doesn't.
public struct Call<Kind: TypedRequest>: Sendable {
    /// The typed request.
    public let request: Kind
    // Retained, so that a client without other references stays alive until the call is sent.
    let client: Client
    var settings = CallSettings()

    /// The output.
    ///
    /// Reading it sends the request.
    ///
    /// Throws the errors of `Client.call(_:)`, and ``DuplicateCallError`` if the call excludes duplicates.
    public var value: Kind.Output {
        get async throws {
            defer { withExtendedLifetime(client) {} }
            return try await client.core.perform(request, settings).value
        }
    }

    /// The output together with the response, for the response's fields, cache status and hops.
    ///
    /// Reading it sends the request.
    ///
    /// The response of a mock is a 200 without fields. Throws the errors of ``value``.
    public var response: DecodedResponse<Kind.Output> {
        get async throws {
            defer { withExtendedLifetime(client) {} }
            return try await client.core.perform(request, settings).decoded
        }
    }

    /// The outcome, which separates cancelled calls and duplicates from errors.
    ///
    /// Reading it sends the request.
    public var outcome: CallOutcome<Kind.Output> {
        get async {
            defer { withExtendedLifetime(client) {} }
            return await client.core.outcome(Result { try client.core.admit(request, settings) })
        }
    }

    /// Returns the call with a key, for finding and cancelling it.
    public func key(_ key: some Hashable & Sendable) -> Call {
        changing { $0.registration.key = key }
    }

    /// Returns the call with more tags, for finding and cancelling it.
    public func tags(_ tags: String...) -> Call {
        changing { $0.registration.tags.formUnion(tags) }
    }

    /// Returns the call with duplicates allowed or refused.
    ///
    /// If they are refused, the call fails with ``DuplicateCallError`` while another call with the same key is running.
    /// If it has no key, calls with an equal request are duplicates.
    ///
    /// A call with neither a key nor a `Hashable` request fails with ``CallIdentityError``.
    public func duplicates(_ areAllowed: Bool) -> Call {
        changing { $0.registration.excludesDuplicates = !areAllowed }
    }

    /// Returns the call with a place for processing its result, instead of the client's.
    public func processing(_ place: ResultProcessing) -> Call {
        changing { $0.processing = place }
    }

    /// Returns the call with a closure that changes its HTTP request, for setting any option of any stage.
    ///
    /// ```swift
    /// client.call(ListPlants()).with { $0.timeout(attempt: .seconds(5)).serializer(false) }
    /// ```
    ///
    /// - Parameter change: A closure that receives the request made from the typed request, and returns the request to
    ///   send. For a mock, only a `timeout(_:)` has an effect.
    public func with(_ change: @escaping @Sendable (_ request: Request) -> Request) -> Call {
        changing { $0.changes.append(change) }
    }

    func changing(_ change: (inout CallSettings) -> Void) -> Call {
        var call = self
        change(&call.settings)
        return call
    }
}

/// The settings of one call.
struct CallSettings: Sendable {
    var registration = CallRegistration()
    var processing: ResultProcessing?
    var slowAfter: Duration?
    var changes: [@Sendable (Request) -> Request] = []
    /// The monitors that receive the events of this call.
    var monitors: [CallMonitorState] = []
    /// Whether the reply of a ``StoredRequest`` is stored.
    var storesReply = true
    /// A closure that is awaited once the call has its reply, before the reply is stored.
    var beforeStoring: (@Sendable () async -> Void)?
}
