/// Names a group of request types at compile time; a type belongs to it by conforming to ``GroupMember``.
///
/// ```swift
/// enum Shop: RequestGroupName {}
/// extension GetPlant: GroupMember { typealias Group = Shop }
///
/// let shop: GroupProvider<Shop> = client.provider(of: Shop.self)
/// let plant = try await shop.call(GetPlant(id: 7))       // GetUser would not compile
/// ```
public protocol RequestGroupName {}

/// A request type that belongs to a group.
public protocol GroupMember: TypedRequest {
    /// The group.
    associatedtype Group: RequestGroupName
}

/// A view of a client that sends requests of one group alone, which the compiler checks.
///
/// It keeps its client.
public struct GroupProvider<Group: RequestGroupName>: Sendable {
    private let client: Client

    init(client: Client) { self.client = client }

    /// Sends a request of the group and gives its output, as `Client.call(_:)` does.
    @discardableResult
    public func call<Kind: GroupMember>(_ request: Kind) async throws -> Kind.Output where Kind.Group == Group {
        try await client.call(request)
    }

    /// A call that is not sent yet, to set what is different about it in the same expression.
    public func call<Kind: GroupMember>(_ request: Kind) -> Call<Kind> where Kind.Group == Group {
        client.makeCall(request)
    }

    /// A call that is not sent yet, to keep in a variable, as ``Client/makeCall(_:)-(Kind)`` makes it.
    public func makeCall<Kind: GroupMember>(_ request: Kind) -> Call<Kind> where Kind.Group == Group {
        client.makeCall(request)
    }

    /// Cancels the calls of the group; returns how many there were.
    @discardableResult
    public func cancelAll() -> Int {
        client.registry.cancel { info in
            guard let request = info.value as? any GroupMember else { return false }
            return Self.isMember(request)
        }
    }

    private static func isMember<Kind: GroupMember>(_ request: Kind) -> Bool { Kind.Group.self == Group.self }
}

/// A view of a client that sends requests of a set of types alone, which is checked when a call is made.
///
/// It keeps its client.
public struct SetProvider: Sendable {
    private let client: Client
    private let types: [any TypedRequest.Type]

    init(client: Client, types: [any TypedRequest.Type]) {
        self.client = client
        self.types = types
    }

    /// Whether a request may be sent.
    public func allows(_ request: some TypedRequest) -> Bool {
        types.contains { $0 == type(of: request) }
    }

    /// Sends a request and gives its output, as `Client.call(_:)` does.
    ///
    /// - Throws: ``UnsupportedRequestError`` for a request of another type.
    @discardableResult
    public func call<Kind: TypedRequest>(_ request: Kind) async throws -> Kind.Output {
        try await makeCall(request).value
    }

    /// A call that is not sent yet, to set what is different about it, or to keep in a variable, as
    /// ``Client/makeCall(_:)-(Kind)`` makes it.
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

    /// Cancels the calls of the types; returns how many there were.
    @discardableResult
    public func cancelAll() -> Int {
        client.registry.cancel { info in
            guard let value = info.value else { return false }
            return types.contains { $0 == type(of: value) }
        }
    }
}

extension Client {
    /// A view of the client that sends requests of one type alone.
    public func provider<Kind: TypedRequest>(of type: Kind.Type) -> RequestProvider<Kind> {
        RequestProvider(client: self)
    }

    /// A view of the client that sends requests of one group alone.
    public func provider<Group: RequestGroupName>(of group: Group.Type) -> GroupProvider<Group> {
        GroupProvider(client: self)
    }

    /// A view of the client that sends requests of these types alone, which is checked when a call is made.
    public func provider(ofSet types: any TypedRequest.Type...) -> SetProvider {
        SetProvider(client: self, types: types)
    }
}
