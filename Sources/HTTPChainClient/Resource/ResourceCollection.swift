public import HTTPChainCore
public import HTTPChainPagination
public import HTTPChainURLBuilder

/// The resources of one type at a service; ``Client/resources(of:in:)`` makes it.
///
/// Each operation is a typed call (``FetchResource``, ``ListResources``, ``CreateResource``, ``SaveResource``,
/// ``DeleteResource``): endpoints, mocks, the registry and events see it as they see any other. It keeps its client.
public struct ResourceCollection<Kind: Resource>: Sendable {
    private let client: Client
    private let variables: URLParameters
    private let path: ResourcePath

    init(client: Client, variables: URLParameters) throws(ResourceError) {
        self.client = client
        self.variables = variables
        path = try ResourcePath(Kind.path)
    }

    /// Fetches one resource.
    ///
    /// - Parameter id: The value of the last variable of the type's path.
    /// - Throws: What a typed call throws; ``ResourceError`` and `DecodingError` for what is no such resource.
    public func fetch(_ id: some URLValueConvertible) async throws -> ResourceRecord<Kind> {
        try await client.call(FetchResource<Kind>(variables: with(id.urlValue)))
    }

    /// Lists resources, as many as the service sends at once.
    ///
    /// - Parameter query: What to list; all by default.
    public func list(_ query: URLQuery = [:]) async throws -> [ResourceRecord<Kind>] {
        try await client.call(listing(query))
    }

    /// Lists resources page by page.
    ///
    /// - Parameters:
    ///   - query: What to list; all by default.
    ///   - style: How the service says where the next page is.
    public func pages(
        _ query: URLQuery = [:],
        by style: PaginationStyle<[ResourceRecord<Kind>]>
    ) -> PageSequence<[ResourceRecord<Kind>]> {
        client.makeCall(listing(query)).pages(by: style)
    }

    /// Creates a resource.
    ///
    /// - Parameters:
    ///   - value: What to create.
    ///   - properties: What to send that the type does not declare; nothing by default.
    /// - Returns: The resource as the service made it.
    public func create(_ value: Kind, properties: [String: JSONValue] = [:]) async throws -> ResourceRecord<Kind> {
        let record = try ResourceRecord(value, properties: properties)
        return try await client.call(
            CreateResource(variables: variables, record: record, collection: path.collection)
        )
    }

    /// Saves what changed of a resource, and makes it what the service has then; sends nothing where nothing changed.
    ///
    /// It is sent with the version that the resource was read as (`If-Match`; `If-Unmodified-Since` where the service has
    /// no strong entity tags). What has no version, such as what was listed, is saved whatever it is by then:
    /// ``reload(_:)`` it before the change to get one.
    ///
    /// - Throws: ``LostUpdateError`` when somebody else was quicker, and the resource stays as it is here.
    public func save(_ record: inout ResourceRecord<Kind>) async throws {
        guard try record.isChanged else { return }
        record = try await client.call(SaveResource(variables: try place(of: record), record: record))
    }

    /// Deletes a resource, of the version that it was read as.
    ///
    /// - Throws: ``LostUpdateError`` when somebody else has changed it.
    public func delete(_ record: ResourceRecord<Kind>) async throws {
        try await client.call(DeleteResource(variables: try place(of: record), record: record))
    }

    /// Fetches a resource again, whatever caches have; changes that were not saved are gone.
    public func reload(_ record: inout ResourceRecord<Kind>) async throws {
        record = try await client.call(FetchResource(variables: try place(of: record), revalidates: true))
    }

    private func listing(_ query: URLQuery) -> ListResources<Kind> {
        ListResources(variables: variables, query: query, collection: path.collection)
    }

    private func place(of record: ResourceRecord<Kind>) throws -> URLParameters {
        with(try record.identity(path.identity))
    }

    private func with(_ id: URLValue) -> URLParameters {
        var variables = variables
        variables[path.identity] = id
        return variables
    }
}

extension Client {
    /// The resources of a type, which the client's calls fetch and change.
    ///
    /// - Parameters:
    ///   - type: The resource type.
    ///   - variables: The values of all but the last variable of its path; none by default.
    /// - Throws: ``ResourceError`` for a type whose path does not end with a variable.
    public func resources<Kind: Resource>(
        of type: Kind.Type,
        in variables: URLParameters = [:]
    ) throws(ResourceError) -> ResourceCollection<Kind> {
        try ResourceCollection(client: self, variables: variables)
    }
}
