public import HTTPChainCore

/// A client that sends typed requests through chains.
///
/// ```swift
/// let client = Client(over: chain)
/// let user = try await client.call(GetUser(id: 42))
/// let report = try await client.call(GetReport()).retry(.never).timeout(.seconds(3)).value
/// ```
///
/// A client has one or more endpoints and a registry of its running calls. Create it once, and use it for any number of
/// concurrent calls. Deallocating the client cancels its running calls.
public final class Client: Sendable {
    let core: ClientCore

    /// Creates a client with several endpoints.
    ///
    /// - Parameters:
    ///   - processing: The place where results are decoded and mapped; the concurrent pool by default.
    ///   - environment: The clock for the client's own work, such as the delays of mocks; chains have their own.
    ///   - slowAfter: The time after which a running call is reported as slow, with
    ///     ``CallEvent/Change-swift.enum/slow(after:)``; never by default.
    ///   - replies: The store for the replies of ``StoredRequest`` types; none by default.
    ///   - endpoints: The endpoints; the first that supports a request serves it.
    public init(
        processing: ResultProcessing = .concurrent,
        environment: ChainEnvironment = .live,
        slowAfter: Duration? = nil,
        replies: ReplyStore? = nil,
        endpoints: [Endpoint]
    ) {
        core = ClientCore(
            endpoints: endpoints,
            processing: processing,
            environment: environment,
            slowAfter: slowAfter,
            replies: replies
        )
    }

    /// Creates a client with one endpoint that serves every request.
    ///
    /// - Parameters:
    ///   - transport: The chain that sends its requests.
    ///   - processing: The place where results are decoded and mapped; the concurrent pool by default.
    ///   - replies: The store for the replies of ``StoredRequest`` types; none by default.
    public convenience init(
        over transport: some Transport,
        processing: ResultProcessing = .concurrent,
        replies: ReplyStore? = nil
    ) {
        self.init(processing: processing, replies: replies, endpoints: [Endpoint(transport.name, over: transport)])
    }

    deinit {
        core.registry.close()
        core.events.close()
    }

    /// The running calls of this client.
    public var registry: CallRegistry { core.registry }

    /// The store for the replies of ``StoredRequest`` types; `nil` if they aren't stored.
    package var replies: ReplyStore? { core.replies }

    /// The names of the client's endpoints, in the order in which they are tried.
    package var endpoints: [String] { core.endpoints.map(\.name) }

    /// Returns a client with the same endpoints and a separate registry of running calls.
    public func copy() -> Client {
        Client(
            processing: core.processing,
            environment: core.environment,
            slowAfter: core.slowAfter,
            replies: core.replies,
            endpoints: core.endpoints
        )
    }

    /// Sends a request and returns its output.
    ///
    /// - Throws: Any error of the endpoint's chain and of the request's ``TypedRequest/result``;
    ///   ``UnsupportedRequestError`` if no endpoint supports the request; `CancellationError` if the call is cancelled.
    @discardableResult
    public func call<Kind: TypedRequest>(_ request: Kind) async throws -> Kind.Output {
        try await core.perform(request, CallSettings()).value
    }

    /// Sends the request of a type without values and returns its output.
    ///
    /// - Throws: The same errors as ``call(_:)``.
    @discardableResult
    public func call<Kind: ValuelessRequest>(_ type: Kind.Type) async throws -> Kind.Output {
        try await call(type.init())
    }

    /// Returns an unsent call, to customize and send in the same expression.
    ///
    /// ```swift
    /// let plants = try await client.call(ListPlants()).retry(.never).key("list").value
    /// ```
    ///
    /// To store a call in a variable, use ``makeCall(_:)``: in asynchronous code, `client.call(request)` without
    /// a modifier is the function that sends the request.
    public func call<Kind: TypedRequest>(_ request: Kind) -> Call<Kind> {
        makeCall(request)
    }

    /// Returns an unsent call of a type without values, to customize and send in the same expression.
    public func call<Kind: ValuelessRequest>(_ type: Kind.Type) -> Call<Kind> {
        makeCall(type.init())
    }

    /// Returns an unsent call, to store, pass to other code, and send once or several times.
    ///
    /// ```swift
    /// let call = client.makeCall(GetPlant(id: 7)).key("plant")
    /// let plant = try await call.value
    /// ```
    public func makeCall<Kind: TypedRequest>(_ request: Kind) -> Call<Kind> {
        Call(request: request, client: self)
    }
}
