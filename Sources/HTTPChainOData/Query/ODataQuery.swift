public import HTTPChainCore
import HTTPTypes

/// A query of an OData service, which selects entities, their order, their number, and their properties.
///
/// ```swift
/// let query = ODataQuery<Person>("People")
///     .filter(\.age > 30 && .property(\.name).startsWith("A"))
///     .orderBy(\.name, .descending)
///     .top(10).skip(20)
///     .select("Name", "Age")
///     .expand("Friends") { $0.expand("Trips") }
///     .count()
/// let page = try await chain.send(query.request(), as: ODataPage<Person>.self)
/// ```
///
/// It is written according to OData 4.01 (OASIS URL Conventions and ABNF): quotes in strings are doubled, GUIDs and
/// dates are unquoted, each level of a lambda has its own variable, parentheses are added if necessary, and the result
/// is percent-encoded once. A query itself doesn't send anything; use ``request()`` with any chain.
public struct ODataQuery<Entity: ODataEntity>: Sendable {
    private var steps: [ODataStep]
    var options = ODataQueryOptions()
    private var custom: [(name: String, value: String)] = []

    /// Creates a query of an entity set or a singleton.
    ///
    /// - Parameter set: The name, such as `People`. Use `People/$count` for the number of entities as plain text.
    public init(_ set: String) {
        steps = [.name(set)]
    }

    /// Returns the query of the entity with a key, such as `People('russell')`.
    public func key(_ value: some ODataLiteralConvertible) -> ODataQuery {
        adding(.key([(nil, value.odataLiteral)]))
    }

    /// Returns the query of the entity with a key of several parts, or with an alternate key: `Items(OrderID=1,No=2)`.
    ///
    /// - Parameter parts: The names and values of the properties, in order.
    public func key(_ parts: KeyValuePairs<String, any ODataLiteralConvertible>) -> ODataQuery {
        adding(.key(parts.map { ($0.key, $0.value.odataLiteral) }))
    }

    /// Returns the query of the resources that a property of the entity refers to: `People('russell')/Trips`.
    ///
    /// - Parameters:
    ///   - property: The name of the property, or a path of several.
    ///   - type: The type of the resources.
    public func navigating<Target: ODataEntity>(to property: String, as type: Target.Type) -> ODataQuery<Target> {
        var query = ODataQuery<Target>(property)
        query.steps = steps + [.name(property)]
        query.custom = custom
        return query
    }

    /// Returns the query limited to entities that match a filter; several filters are combined with `and`.
    public func filter(_ filter: ODataExpression<Entity>) -> ODataQuery {
        changing { $0.add(filter: filter.node) }
    }

    /// Returns the query with entities ordered by a property.
    public func orderBy<Value>(
        _ path: KeyPath<Entity, Value>,
        _ direction: ODataDirection = .ascending
    ) -> ODataQuery {
        orderBy(.property(path), direction)
    }

    /// Returns the query with entities ordered by a computed value.
    public func orderBy(
        _ expression: ODataExpression<Entity>,
        _ direction: ODataDirection = .ascending
    ) -> ODataQuery {
        changing { $0.orders.append((expression.node, direction)) }
    }

    /// Returns the query limited to the first `count` entities.
    public func top(_ count: Int) -> ODataQuery { changing { $0.top = count } }

    /// Returns the query without the first `count` entities.
    public func skip(_ count: Int) -> ODataQuery { changing { $0.skip = count } }

    /// Returns the query limited to these properties and those already selected.
    public func select(_ properties: String...) -> ODataQuery { changing { $0.select += properties } }

    /// Returns the query limited to this property and those already selected.
    public func select<Value>(_ path: KeyPath<Entity, Value>) -> ODataQuery {
        changing { $0.selectNodes.append(Entity.node(of: path)) }
    }

    /// Returns the query with the related entities of a property included in each entity.
    ///
    /// ```swift
    /// let people = ODataQuery<ODataAnyEntity>("People")
    ///     .expand("Friends") { $0.select("Name").filter(.property("Age") > 30) }
    /// ```
    ///
    /// - Parameters:
    ///   - property: The name of the navigation property.
    ///   - levels: The number of levels, if the property refers to entities of the same kind. `Int.max` means no limit;
    ///     one level by default.
    ///   - options: A closure that limits, orders or expands the related entities; changes nothing by default. It can't
    ///     add a key, a path or a custom option.
    public func expand(
        _ property: String,
        levels: Int? = nil,
        _ options: (ODataQuery<ODataAnyEntity>) -> ODataQuery<ODataAnyEntity> = { $0 }
    ) -> ODataQuery {
        expand(property, as: ODataAnyEntity.self, levels: levels, options)
    }

    /// Returns the query with the related entities of a property included in each entity, limited or ordered by the key
    /// paths of their type.
    ///
    /// - Parameters:
    ///   - property: The name of the navigation property.
    ///   - type: The type of the related entities.
    ///   - levels: The number of levels, as without a type.
    ///   - options: A closure that limits, orders or expands the related entities.
    public func expand<Target: ODataEntity>(
        _ property: String,
        as type: Target.Type,
        levels: Int? = nil,
        _ options: (ODataQuery<Target>) -> ODataQuery<Target>
    ) -> ODataQuery {
        let query = options(ODataQuery<Target>(property))
        var options = query.options
        options.levels = levels
        options.isExpansion = query.steps.count == 1 && query.custom.isEmpty
        return changing { $0.expansions.append((property, options)) }
    }

    /// Returns the query with the number of all entities that match the filter (``ODataPage/count``).
    public func count() -> ODataQuery { changing { $0.count = true } }

    /// Returns the query limited to entities that match a free-text search.
    public func search(_ search: ODataSearch) -> ODataQuery { changing { $0.search = search } }

    /// Returns the query with a custom query option of the service, whose name does not begin with `$`.
    public func option(_ name: String, _ value: String) -> ODataQuery {
        var query = self
        query.custom.append((name, value))
        return query
    }

    /// Returns the path and query, percent-encoded, relative to the root of the service.
    ///
    /// - Throws: ``ODataQueryError`` for invalid names, key paths without a name, empty fragments, expressions that are
    ///   too deep, and negative numbers.
    public func url() throws(ODataQueryError) -> String {
        var pairs: [String] = []
        var written: Set<String> = []
        for (name, value) in try options.pairs() {
            written.insert("$\(name)")
            pairs.append("$\(name)=\(ODataEncoding.query(value))")
        }
        // Otherwise, the service would get two values for one option.
        if let name = custom.lazy.map(\.name).first(where: written.contains) {
            throw ODataQueryError(.invalidName(name))
        }
        for (name, value) in custom { pairs.append("\(ODataEncoding.part(name))=\(ODataEncoding.part(value))") }
        return try path() + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// Returns a GET request for the query, relative to the root of the service, with the fields that OData requires.
    ///
    /// - Throws: ``ODataQueryError``, like ``url()``.
    public func request() throws(ODataQueryError) -> Request {
        .get(try url(), headers: Self.fields)
    }

    /// The fields that OData requires of a request.
    static var fields: HTTPFields { [.accept: "application/json", .odataMaximumVersion: "4.01"] }

    private func path() throws(ODataQueryError) -> String {
        var path = ""
        for step in steps {
            switch step {
            case .name(let name): path += (path.isEmpty ? "" : "/") + ODataEncoding.path(try ODataName.path(name))
            case .key(let parts):
                var texts: [String] = []
                for part in parts {
                    let name = try part.name.map { (name) throws(ODataQueryError) in try ODataName.path(name) + "=" }
                    texts.append((name ?? "") + ODataEncoding.part(part.value.text))
                }
                path += "(\(texts.joined(separator: ",")))"
            }
        }
        return path
    }

    private func adding(_ step: ODataStep) -> ODataQuery {
        var query = self
        query.steps.append(step)
        return query
    }

    private func changing(_ change: (inout ODataQueryOptions) -> Void) -> ODataQuery {
        var query = self
        change(&query.options)
        return query
    }
}

/// A part of a resource path.
private enum ODataStep: Sendable {
    case name(String)
    case key([(name: String?, value: ODataLiteral)])
}

/// The direction of a sort order.
public enum ODataDirection: String, Sendable, Hashable {
    /// The smallest first.
    case ascending = "asc"
    /// The largest first.
    case descending = "desc"
}
