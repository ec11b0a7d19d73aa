/// A compile-time name for a group of request types; a type joins it by conforming to ``GroupMember``.
///
/// ```swift
/// enum Shop: RequestGroupName {}
/// extension GetPlant: GroupMember { typealias Group = Shop }
///
/// let shop: GroupProvider<Shop> = client.provider(of: Shop.self)
/// let plant = try await shop.call(GetPlant(id: 7))       // GetUser would not compile
/// ```
public protocol RequestGroupName {}

/// A request type that belongs to exactly one group, which the compiler checks.
///
/// If types belong to several groups, make each group a list of types for `Client.provider(ofSet:)`.
public protocol GroupMember: TypedRequest {
    /// The group.
    associatedtype Group: RequestGroupName
}

/// A view of a client that sends only requests of one group, checked by the compiler.
///
/// It retains its client.
public struct GroupProvider<Group: RequestGroupName>: Sendable {
    private let client: Client

    init(client: Client) { self.client = client }

    /// Sends a request of the group and returns its output, like `Client.call(_:)`.
    @discardableResult
    public func call<Kind: GroupMember>(_ request: Kind) async throws -> Kind.Output where Kind.Group == Group {
        try await client.call(request)
    }

    /// Returns an unsent call, to customize and send in the same expression, or to store in a variable of that type.
    public func call<Kind: GroupMember>(_ request: Kind) -> Call<Kind> where Kind.Group == Group {
        client.makeCall(request)
    }

    /// Cancels the calls of the group; returns their number.
    @discardableResult
    public func cancelAll() -> Int {
        client.registry.cancel { info in
            guard let request = info.value as? any GroupMember else { return false }
            return Self.isMember(request)
        }
    }

    private static func isMember<Kind: GroupMember>(_ request: Kind) -> Bool { Kind.Group.self == Group.self }
}

/// A view of a client that sends only requests of a set of types, checked when a call is made.
///
/// It retains its client.
public struct SetProvider: Sendable {
    private let client: Client
    private let types: [any TypedRequest.Type]

    init(client: Client, types: [any TypedRequest.Type]) {
        self.client = client
        self.types = types
    }

    /// Whether a request may be sent.
    package func allows(_ request: some TypedRequest) -> Bool {
        types.contains { $0 == type(of: request) }
    }

    /// Sends a request and returns its output, like `Client.call(_:)`.
    ///
    /// - Throws: ``UnsupportedRequestError`` for a request of another type.
    @discardableResult
    public func call<Kind: TypedRequest>(_ request: Kind) async throws -> Kind.Output {
        try await makeCall(request).value
    }

    /// Returns an unsent call, to customize or to store in a variable, like ``Client/makeCall(_:)-(Kind)``.
    ///
    /// - Throws: ``UnsupportedRequestError`` for a request of another type.
    public func makeCall<Kind: TypedRequest>(_ request: Kind) throws(UnsupportedRequestError) -> Call<Kind> {
        guard allows(request) else {
            throw UnsupportedRequestError(
                requestType: "\(Kind.self)",
                endpoints: types.map { "provider of \($0)" }
            )
        }
        return client.makeCall(request)
    }

    /// Cancels the calls of the types; returns their number.
    @discardableResult
    public func cancelAll() -> Int {
        client.registry.cancel { info in
            guard let value = info.value else { return false }
            return types.contains { $0 == type(of: value) }
        }
    }
}

extension Client {
    /// Returns a view of the client that sends only requests of one type.
    public func provider<Kind: TypedRequest>(of type: Kind.Type) -> RequestProvider<Kind> {
        RequestProvider(client: self)
    }

    /// Returns a view of the client that sends only requests of one group.
    public func provider<Group: RequestGroupName>(of group: Group.Type) -> GroupProvider<Group> {
        GroupProvider(client: self)
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
    public func provider(ofSet types: [any TypedRequest.Type]) -> SetProvider {
        SetProvider(client: self, types: types)
    }
}
