public import HTTPChainCore

/// One call of a client, with what is different about it; it is sent when its result is asked for.
///
/// ```swift
/// let user = try await client.call(GetUser(id: 42)).key("profile").timeout(.seconds(3)).value
/// ```
///
/// Each time that ``value``, ``response`` or ``outcome`` is read, and each `start`, sends it. A call keeps its client; one
/// that was started does not.
public struct Call<Kind: TypedRequest>: Sendable {
    /// The request.
    public let request: Kind
    // Kept, so that a client that nobody else has any more does not go away between making the call and sending it.
    let client: Client
    var settings = CallSettings()

    init(request: Kind, client: Client) {
        self.request = request
        self.client = client
    }

    /// Sends the request and gives its output.
    ///
    /// Throws what `Client.call(_:)` throws, and ``DuplicateCallError`` for a call that excludes duplicates.
    public var value: Kind.Output {
        get async throws {
            defer { withExtendedLifetime(client) {} }
            return try await client.core.perform(request, settings).value
        }
    }

    /// Sends the request and gives its output together with the response: its fields, cache status, hops.
    ///
    /// The response of a mock is a 200 without fields. Throws what ``value`` throws.
    public var response: DecodedResponse<Kind.Output> {
        get async throws {
            defer { withExtendedLifetime(client) {} }
            return try await client.core.perform(request, settings).decoded
        }
    }

    /// Sends the request and tells how the call ended, cancelled calls and duplicates apart from errors.
    public var outcome: CallOutcome<Kind.Output> {
        get async {
            defer { withExtendedLifetime(client) {} }
            return await client.core.outcome(Result { try client.core.admit(request, settings) })
        }
    }

    /// The call with a key of yours, by which it can be found and cancelled.
    public func key(_ key: some Hashable & Sendable) -> Call {
        changing { $0.registration.key = key }
    }

    /// The call with more tags, by which it can be found and cancelled.
    public func tags(_ tags: String...) -> Call {
        changing { $0.registration.tags.formUnion(tags) }
    }

    /// The call, refused with ``DuplicateCallError`` while one with the same key is running; without a key, one with an
    /// equal request.
    ///
    /// A call with neither a key nor a request that is `Hashable` fails with ``CallIdentityError``.
    public func excludingDuplicates() -> Call {
        changing { $0.registration.excludesDuplicates = true }
    }

    /// The call with its result made elsewhere than the client does it.
    public func processing(_ place: ResultProcessing) -> Call {
        changing { $0.processing = place }
    }

    /// The call with a changed request, for every option that a stage has.
    ///
    /// ```swift
    /// client.call(ListPlants()).with { $0.attemptTimeout(.seconds(5)).withoutSerialization() }
    /// ```
    ///
    /// - Parameter change: Given the request as its type makes it, returns the one to send. Not asked by a mock.
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
    /// Awaited when the call has its reply, and before that is stored.
    var beforeStoring: (@Sendable () async -> Void)?
}
