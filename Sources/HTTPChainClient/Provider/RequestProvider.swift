/// A view of a client that sends only the requests of one type, of a group, or of a set of types.
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
/// For a group, the scope is a type that names the group, which each ``GroupMember`` declares. For a set, it is
/// `any TypedRequest`. A provider retains its client.
public struct RequestProvider<Scope>: Sendable {
    private let client: Client
    private let includes: @Sendable (any Sendable) -> Bool
    /// The types of a set.
    private let types: [any TypedRequest.Type]

    fileprivate init(
        client: Client,
        types: [any TypedRequest.Type] = [],
        includes: @escaping @Sendable (any Sendable) -> Bool
    ) {
        self.client = client
        self.types = types
        self.includes = includes
    }

    /// Whether a request may be sent.
    package func allows(_ request: some TypedRequest) -> Bool { includes(request) }

    /// Cancels the calls that this provider can send; returns their number.
    @discardableResult
    public func cancelAll() -> Int {
        client.registry.cancel { $0.value.map(includes) ?? false }
    }
}

extension RequestProvider where Scope: TypedRequest {
    /// Sends a request and returns its output, like `Client.call(_:)`.
    @discardableResult
    public func call(_ request: Scope) async throws -> Scope.Output { try await client.call(request) }

    /// Returns an unsent call, to customize and send in the same expression, or to store in a variable of that type.
    public func call(_ request: Scope) -> Call<Scope> { client.makeCall(request) }
}

extension RequestProvider where Scope: ValuelessRequest {
    /// Sends the request of a type without values.
    @discardableResult
    public func call() async throws -> Scope.Output { try await client.call(Scope.self) }
}

/// A request type that belongs to exactly one group.
///
/// ```swift
/// enum Shop {}
/// extension GetPlant: GroupMember { typealias Group = Shop }
///
/// let shop: RequestProvider<Shop> = client.provider(of: Shop.self)
/// let plant = try await shop.call(GetPlant(id: 7))       // GetUser would not compile
/// ```
///
/// The compiler checks this. For types that belong to several groups, make each group a structure with a provider for
/// each type, which the compiler checks too, or use a list of types with ``Client/provider(ofSet:)``, which is checked
/// when a call is made.
///
/// ```swift
/// struct ShopRequests { let plant: RequestProvider<GetPlant>, plants: RequestProvider<ListPlants> }
/// struct GardenRequests { let plant: RequestProvider<GetPlant> }
/// ```
public protocol GroupMember: TypedRequest {
    /// The name of the group: any type, such as an enumeration without cases.
    associatedtype Group
}

extension RequestProvider {
    /// Sends a request of the group and returns its output, like `Client.call(_:)`.
    @discardableResult
    public func call<Kind: GroupMember>(_ request: Kind) async throws -> Kind.Output where Kind.Group == Scope {
        try await client.call(request)
    }

    /// Returns an unsent call, to customize and send in the same expression, or to store in a variable of that type.
    public func call<Kind: GroupMember>(_ request: Kind) -> Call<Kind> where Kind.Group == Scope {
        client.makeCall(request)
    }

    fileprivate static func hasMember<Kind: GroupMember>(_ request: Kind) -> Bool { Kind.Group.self == Scope.self }
}

extension RequestProvider<any TypedRequest> {
    /// Sends a request and returns its output, like `Client.call(_:)`.
    ///
    /// - Throws: ``UnsupportedRequestError`` for a request whose type isn't in the set.
    @discardableResult
    public func call<Kind: TypedRequest>(_ request: Kind) async throws -> Kind.Output {
        try await unsent(request).value
    }

    /// Returns an unsent call, to customize and send in the same expression, or to store in a variable of that type.
    ///
    /// - Throws: ``UnsupportedRequestError`` for a request whose type isn't in the set.
    public func call<Kind: TypedRequest>(_ request: Kind) throws(UnsupportedRequestError) -> Call<Kind> {
        try unsent(request)
    }

    private func unsent<Kind: TypedRequest>(_ request: Kind) throws(UnsupportedRequestError) -> Call<Kind> {
        guard allows(request) else {
            throw UnsupportedRequestError(
                requestType: "\(Kind.self)",
                endpoints: types.map { "provider of \($0)" }
            )
        }
        return client.makeCall(request)
    }
}

extension Client {
    /// Returns a view of the client that sends only requests of one type, or of one group.
    ///
    /// - Parameter scope: A request type, or the type that names a group (``GroupMember``).
    public func provider<Scope>(of scope: Scope.Type) -> RequestProvider<Scope> {
        RequestProvider(client: self) { value in
            if value is Scope { return true }
            guard let request = value as? any GroupMember else { return false }
            return RequestProvider<Scope>.hasMember(request)
        }
    }

    /// Returns a view of the client that sends only requests of a list of types, checked when a call is made.
    ///
    /// ```swift
    /// enum Shop { static let requests: [any TypedRequest.Type] = [GetPlant.self, ListPlants.self] }
    /// enum Garden { static let requests: [any TypedRequest.Type] = [GetPlant.self] }
    ///
    /// let plant = try await client.provider(ofSet: Garden.requests).call(GetPlant(id: 7))
    /// ```
    ///
    /// - Parameter types: The types of a group; a type may be in several lists.
    public func provider(ofSet types: [any TypedRequest.Type]) -> RequestProvider<any TypedRequest> {
        RequestProvider(client: self, types: types) { value in types.contains { $0 == type(of: value) } }
    }
}
