public import HTTPChainCore

/// Sends typed requests through chains.
///
/// ```swift
/// let client = Client(over: chain)
/// let user = try await client.call(GetUser(id: 42))
/// let report = try await client.call(GetReport()).retry(.never).timeout(.seconds(3)).value
/// ```
///
/// A client has one or more endpoints, and a registry of the calls that are running. Its calls are cancelled when it
/// goes away. It is made once and used for any number of calls at a time.
public final class Client: Sendable {
    let core: ClientCore

    /// Makes a client with several endpoints.
    ///
    /// - Parameters:
    ///   - processing: Where results are made; on the concurrent pool by default.
    ///   - environment: The clock of what the client does itself, such as the delays of mocks; chains have their own.
    ///   - slowAfter: When a call that has not ended is told to be slow, with ``CallEvent/Change-swift.enum/slow(after:)``;
    ///     never by default.
    ///   - replies: Where the replies of ``StoredRequest`` types are stored; they are not by default.
    ///   - endpoints: The endpoints; the first that supports a request serves it.
    public init(
        processing: ResultProcessing = .concurrent,
        environment: ChainEnvironment = .live,
        slowAfter: Duration? = nil,
        replies: ReplyStore? = nil,
        @EndpointBuilder endpoints: () throws -> [Endpoint]
    ) rethrows {
        core = ClientCore(
            endpoints: try endpoints(),
            processing: processing,
            environment: environment,
            slowAfter: slowAfter,
            replies: replies
        )
    }

    /// Makes a client with one endpoint that serves every request.
    ///
    /// - Parameters:
    ///   - transport: What sends its requests: a chain.
    ///   - processing: Where results are made; on the concurrent pool by default.
    ///   - replies: Where the replies of ``StoredRequest`` types are stored; they are not by default.
    public convenience init(
        over transport: some Transport,
        processing: ResultProcessing = .concurrent,
        replies: ReplyStore? = nil
    ) {
        self.init(processing: processing, replies: replies) { Endpoint(transport.name, over: transport) }
    }

    private init(_ core: ClientCore) {
        self.core = core
    }

    deinit {
        core.registry.close()
        core.events.close()
    }

    /// The calls of this client that are running.
    public var registry: CallRegistry { core.registry }

    /// The store of the replies of ``StoredRequest`` types; `nil` if they are not.
    public var replies: ReplyStore? { core.replies }

    /// The names of its endpoints, in the order in which they are asked.
    public var endpoints: [String] { core.endpoints.map(\.name) }

    /// A client with the same endpoints and running calls of its own.
    public func copy() -> Client {
        Client(
            ClientCore(
                endpoints: core.endpoints,
                processing: core.processing,
                environment: core.environment,
                slowAfter: core.slowAfter,
                replies: core.replies
            )
        )
    }

    /// Sends a request and gives its output.
    ///
    /// - Throws: What the endpoint's chain and the request's ``TypedRequest/result`` throw; ``UnsupportedRequestError``
    ///   if no endpoint supports the request; `CancellationError` when the call is cancelled.
    @discardableResult
    public func call<Kind: TypedRequest>(_ request: Kind) async throws -> Kind.Output {
        try await core.perform(request, CallSettings()).value
    }

    /// Sends the request of a type without values and gives its output.
    ///
    /// - Throws: What ``call(_:)`` throws.
    @discardableResult
    public func call<Kind: ValuelessRequest>(_ type: Kind.Type) async throws -> Kind.Output {
        try await call(type.init())
    }

    /// A call that is not sent yet, to set what is different about it in the same expression.
    ///
    /// ```swift
    /// let plants = try await client.call(ListPlants()).retry(.never).key("list").value
    /// ```
    ///
    /// To keep a call in a variable, use ``makeCall(_:)-(Kind)``: without a modifier behind it, `client.call(request)` in
    /// asynchronous code is the function that sends the request.
    public func call<Kind: TypedRequest>(_ request: Kind) -> Call<Kind> {
        makeCall(request)
    }

    /// A call of a type without values that is not sent yet, to set what is different about it in the same expression.
    public func call<Kind: ValuelessRequest>(_ type: Kind.Type) -> Call<Kind> {
        makeCall(type)
    }

    /// A call that is not sent yet, to keep in a variable, hand on, and send once or several times.
    ///
    /// ```swift
    /// let call = client.makeCall(GetPlant(id: 7)).key("plant")
    /// let plant = try await call.value
    /// ```
    public func makeCall<Kind: TypedRequest>(_ request: Kind) -> Call<Kind> {
        Call(request: request, client: self)
    }

    /// A call of a type without values that is not sent yet, to keep in a variable, hand on, and send once or several
    /// times.
    public func makeCall<Kind: ValuelessRequest>(_ type: Kind.Type) -> Call<Kind> {
        makeCall(type.init())
    }
}
