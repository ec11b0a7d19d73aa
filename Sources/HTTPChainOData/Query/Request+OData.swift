public import HTTPChainCore
import HTTPTypes

extension Request {
    /// Returns the request with an OData query appended to its URL, which is the root of the service.
    ///
    /// ```swift
    /// let people = ODataQuery<Person>("People").top(10)
    /// let page = try await chain.send(.get("v4").odata(people), as: ODataPage<Person>.self)
    /// ```
    ///
    /// It also sets the fields that OData requires, unless the request already has them. In a declared client, the
    /// annotation `@OData` does this with a parameter.
    ///
    /// - Throws: ``ODataQueryError``, like ``ODataQuery/url()``.
    public consuming func odata<Entity>(_ query: ODataQuery<Entity>) throws(ODataQueryError) -> Request {
        let reference = try query.url()
        let root = url
        url = root.isEmpty || root.utf8.last == UInt8(ascii: "/") ? root + reference : root + "/" + reference
        for field in ODataQuery<Entity>.fields where !headers.contains(field.name) { headers[field.name] = field.value }
        return self
    }
}
