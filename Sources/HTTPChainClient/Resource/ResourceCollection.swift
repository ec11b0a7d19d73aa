public import HTTPChainCore
public import HTTPChainURLBuilder

/// The resources of one type at a service; created by ``Client/resources(of:in:)``.
///
/// Each operation is a typed call (``FetchResource``, ``ListResources``, ``CreateResource``, ``SaveResource``,
/// ``DeleteResource``) that endpoints, mocks, the registry and events treat like any other call. The collection retains
/// its client.
///
/// A fetched record is saved, reloaded and deleted at the path that it was fetched from, even if its JSON lacks the
/// value of the path's last variable. For a created record that lacks it, the value is taken from `Location`, if that
/// is an item of the collection. The values of the path's other variables are always the collection's: a record of one
/// garden that is saved through the collection of another garden is saved in that other garden.
///
/// Each operation also has a method that returns an unsent call, to set options, to use a completion handler, or to
/// wait without `async`:
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
    /// - Throws: The errors of a typed call; ``ResourceError`` and `DecodingError` if the reply isn't such a resource.
    public func fetch(_ id: some URLValueConvertible) async throws -> ResourceRecord<Kind> {
        try await fetchCall(id).value
    }

    /// Returns an unsent call that fetches one resource.
    ///
    /// ```swift
    /// users.fetchCall(5).key("profile").start { outcome in show(outcome.output) }
    /// ```
    ///
    /// - Parameter id: The value of the last variable of the type's path.
    public func fetchCall(_ id: some URLValueConvertible) -> Call<FetchResource<Kind>> {
        client.makeCall(FetchResource(variables: with(id.urlValue)))
    }

    /// Lists as many resources as the service sends in one response.
    ///
    /// - Parameter query: The query of the list; empty by default.
    public func list(_ query: URLQuery = [:]) async throws -> [ResourceRecord<Kind>] {
        try await listCall(query).value
    }

    /// Returns an unsent call that lists as many resources as the service sends in one response.
    ///
    /// To list all of them, read the pages: `users.listCall().pages(by: .linkHeader())`.
    ///
    /// - Parameter query: The query of the list; empty by default.
    public func listCall(_ query: URLQuery = [:]) -> Call<ListResources<Kind>> {
        client.makeCall(ListResources(variables: variables, query: query, collection: path.collection))
    }

    /// Creates a resource.
    ///
    /// - Parameters:
    ///   - value: The resource to create.
    ///   - properties: Undeclared properties to send; none by default.
    /// - Returns: The resource as the service created it.
    public func create(_ value: Kind, properties: [String: JSONValue] = [:]) async throws -> ResourceRecord<Kind> {
        try await createCall(value, properties: properties).value
    }

    /// Returns an unsent call that creates a resource.
    ///
    /// - Parameters:
    ///   - value: The resource to create.
    ///   - properties: Undeclared properties to send; none by default.
    /// - Throws: Any error of the type's encoder; ``ResourceError`` if the value isn't a JSON object.
    public func createCall(
        _ value: Kind,
        properties: [String: JSONValue] = [:]
    ) throws -> Call<CreateResource<Kind>> {
        let record = try ResourceRecord(value, properties: properties)
        return client.makeCall(CreateResource(variables: variables, record: record, collection: path.collection))
    }

    /// Saves the changes to a resource and updates it from the reply; sends nothing if there are no changes.
    ///
    /// It sends the version that the resource was read with (`If-Match`; `If-Unmodified-Since` if the service has no
    /// strong entity tags). A resource without a version, such as a listed one, is saved unconditionally. To get a
    /// version, call ``reload(_:)`` before changing the resource.
    ///
    /// - Throws: ``LostUpdateError`` if someone else has changed the resource meanwhile; the record is then unchanged.
    public func save(_ record: inout ResourceRecord<Kind>) async throws {
        guard try record.isChanged else { return }
        record = try await saveCall(record).value
    }

    /// Returns an unsent call that saves the changes to a resource and returns the service's new state of it.
    ///
    /// Unlike ``save(_:)``, the call is sent even if ``ResourceRecord/isChanged`` is false.
    ///
    /// - Throws: ``ResourceError`` if the resource wasn't fetched and lacks the property that its path needs.
    public func saveCall(_ record: ResourceRecord<Kind>) throws -> Call<SaveResource<Kind>> {
        client.makeCall(SaveResource(variables: try place(of: record), record: record))
    }

    /// Deletes a resource if it still has the version that was read.
    ///
    /// - Throws: ``LostUpdateError`` if someone else has changed the resource.
    public func delete(_ record: ResourceRecord<Kind>) async throws {
        try await deleteCall(record).value
    }

    /// Returns an unsent call that deletes a resource if it still has the version that was read.
    ///
    /// - Throws: ``ResourceError`` if the resource wasn't fetched and lacks the property that its path needs.
    public func deleteCall(_ record: ResourceRecord<Kind>) throws -> Call<DeleteResource<Kind>> {
        client.makeCall(DeleteResource(variables: try place(of: record), record: record))
    }

    /// Fetches a resource again, bypassing caches; unsaved changes are lost.
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
    /// Returns the resources of a type, fetched and changed with the client's calls.
    ///
    /// - Parameters:
    ///   - type: The resource type.
    ///   - variables: The values of all variables of its path except the last; none by default.
    /// - Throws: ``ResourceError`` if the type's path doesn't end with a variable.
    public func resources<Kind: Resource>(
        of type: Kind.Type,
        in variables: URLParameters = [:]
    ) throws(ResourceError) -> ResourceCollection<Kind> {
        try ResourceCollection(client: self, variables: variables)
    }
}
