public import HTTPChainCore
public import HTTPChainPagination
public import HTTPChainURLBuilder

/// The resources of one type at a service; ``Client/resources(of:in:)`` makes it.
///
/// Each operation is a typed call (``FetchResource``, ``ListResources``, ``CreateResource``, ``SaveResource``,
/// ``DeleteResource``): endpoints, mocks, the registry and events see it as they see any other. It keeps its client.
///
/// A record that was fetched is saved, reloaded and deleted where it was fetched from, also if its JSON does not hold the
/// value of the path's last variable.
///
/// For what one call does differently, for a completion, and to wait without `async`, each has a call that is not sent
/// yet:
///
/// ```swift
/// let users = try client.resources(of: User.self)
/// let ada = try users.fetchCall(5).timeout(.seconds(3)).wait(atMost: .seconds(10))
/// ```
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
        try await fetchCall(id).value
    }

    /// A call that fetches one resource, and is not sent yet.
    ///
    /// ```swift
    /// users.fetchCall(5).key("profile").start { outcome in show(outcome.output) }
    /// ```
    ///
    /// - Parameter id: The value of the last variable of the type's path.
    public func fetchCall(_ id: some URLValueConvertible) -> Call<FetchResource<Kind>> {
        client.makeCall(FetchResource(variables: with(id.urlValue)))
    }

    /// Lists resources, as many as the service sends at once.
    ///
    /// - Parameter query: What to list; all by default.
    public func list(_ query: URLQuery = [:]) async throws -> [ResourceRecord<Kind>] {
        try await listCall(query).value
    }

    /// A call that lists resources, as many as the service sends at once, and is not sent yet.
    ///
    /// - Parameter query: What to list; all by default.
    public func listCall(_ query: URLQuery = [:]) -> Call<ListResources<Kind>> {
        client.makeCall(ListResources(variables: variables, query: query, collection: path.collection))
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
        listCall(query).pages(by: style)
    }

    /// Creates a resource.
    ///
    /// - Parameters:
    ///   - value: What to create.
    ///   - properties: What to send that the type does not declare; nothing by default.
    /// - Returns: The resource as the service made it.
    public func create(_ value: Kind, properties: [String: JSONValue] = [:]) async throws -> ResourceRecord<Kind> {
        try await createCall(value, properties: properties).value
    }

    /// A call that creates a resource, and is not sent yet.
    ///
    /// - Parameters:
    ///   - value: What to create.
    ///   - properties: What to send that the type does not declare; nothing by default.
    /// - Throws: What the type's encoder throws; ``ResourceError`` where the value is no JSON object.
    public func createCall(
        _ value: Kind,
        properties: [String: JSONValue] = [:]
    ) throws -> Call<CreateResource<Kind>> {
        let record = try ResourceRecord(value, properties: properties)
        return client.makeCall(CreateResource(variables: variables, record: record, collection: path.collection))
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
        record = try await saveCall(record).value
    }

    /// A call that saves what changed of a resource and gives what the service has then, and is not sent yet.
    ///
    /// ``save(_:)`` sends nothing where ``ResourceRecord/isChanged`` is false; such a call is sent, with no changes.
    ///
    /// - Throws: ``ResourceError`` for a resource that was not fetched and lacks the property that its path needs.
    public func saveCall(_ record: ResourceRecord<Kind>) throws -> Call<SaveResource<Kind>> {
        client.makeCall(SaveResource(variables: try place(of: record), record: record))
    }

    /// Deletes a resource, of the version that it was read as.
    ///
    /// - Throws: ``LostUpdateError`` when somebody else has changed it.
    public func delete(_ record: ResourceRecord<Kind>) async throws {
        try await deleteCall(record).value
    }

    /// A call that deletes a resource, of the version that it was read as, and is not sent yet.
    ///
    /// - Throws: ``ResourceError`` for a resource that was not fetched and lacks the property that its path needs.
    public func deleteCall(_ record: ResourceRecord<Kind>) throws -> Call<DeleteResource<Kind>> {
        client.makeCall(DeleteResource(variables: try place(of: record), record: record))
    }

    /// Fetches a resource again, whatever caches have; changes that were not saved are gone.
    public func reload(_ record: inout ResourceRecord<Kind>) async throws {
        record = try await client.call(FetchResource(variables: try place(of: record), revalidates: true))
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
