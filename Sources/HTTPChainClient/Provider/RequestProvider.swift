/// A view of a client that sends only requests of one type.
///
/// Passing a provider to a component makes its dependency explicit, and limits it to those requests:
///
/// ```swift
/// struct PlantPage {
///     let plants: RequestProvider<GetPlant>
///     func show() async throws { print(try await plants.call(GetPlant(id: 7))) }
/// }
/// let page = PlantPage(plants: client.provider(of: GetPlant.self))
/// ```
///
/// It retains its client.
public struct RequestProvider<Kind: TypedRequest>: Sendable {
    private let client: Client

    init(client: Client) { self.client = client }

    /// Sends a request and returns its output, like `Client.call(_:)`.
    @discardableResult
    public func call(_ request: Kind) async throws -> Kind.Output { try await client.call(request) }

    /// Returns an unsent call, to customize and send in the same expression, or to store in a variable of that type.
    public func call(_ request: Kind) -> Call<Kind> { client.makeCall(request) }

    /// Cancels the calls of the type; returns their number.
    @discardableResult
    public func cancelAll() -> Int { client.registry.cancel(type: Kind.self) }
}

extension RequestProvider where Kind: Hashable {
    /// Cancels the calls with an equal request; returns their number.
    @discardableResult
    public func cancel(_ request: Kind) -> Int { client.registry.cancel(request) }
}

extension RequestProvider where Kind: ValuelessRequest {
    /// Sends the request of a type without values.
    @discardableResult
    public func call() async throws -> Kind.Output { try await client.call(Kind.self) }
}
