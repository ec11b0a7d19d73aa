/// A view of a client that sends requests of one type alone.
///
/// A part of an application that is handed a provider says so what it depends on, and can do no more:
///
/// ```swift
/// struct PlantPage {
///     let plants: RequestProvider<GetPlant>
///     func show() async throws { print(try await plants.call(GetPlant(id: 7))) }
/// }
/// let page = PlantPage(plants: client.provider(of: GetPlant.self))
/// ```
///
/// It keeps its client.
public struct RequestProvider<Kind: TypedRequest>: Sendable {
    private let client: Client

    init(client: Client) { self.client = client }

    /// Sends a request and gives its output, as `Client.call(_:)` does.
    @discardableResult
    public func call(_ request: Kind) async throws -> Kind.Output { try await client.call(request) }

    /// A call that is not sent yet, to set what is different about it in the same expression.
    public func call(_ request: Kind) -> Call<Kind> { client.makeCall(request) }

    /// A call that is not sent yet, to keep in a variable, as ``Client/makeCall(_:)-(Kind)`` makes it.
    public func makeCall(_ request: Kind) -> Call<Kind> { client.makeCall(request) }

    /// Whether calls of the type are running.
    public var isCalling: Bool { client.registry.contains(type: Kind.self) }

    /// Cancels the calls of the type; returns how many there were.
    @discardableResult
    public func cancelAll() -> Int { client.registry.cancel(type: Kind.self) }
}

extension RequestProvider where Kind: Hashable {
    /// Whether a call of an equal request is running.
    public func isCalling(_ request: Kind) -> Bool { client.registry.contains(request) }

    /// Cancels the calls of an equal request; returns how many there were.
    @discardableResult
    public func cancel(_ request: Kind) -> Int { client.registry.cancel(request) }
}

extension RequestProvider where Kind: ValuelessRequest {
    /// Sends the request of a type without values.
    @discardableResult
    public func call() async throws -> Kind.Output { try await client.call(Kind.self) }
}
