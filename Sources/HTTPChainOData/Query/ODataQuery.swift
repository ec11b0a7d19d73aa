public import HTTPChainCore
import HTTPTypes

/// A query of an OData service: which entities, in which order, how many, and what of them.
///
/// ```swift
/// let query = ODataQuery<Person>("People")
///     .filter(\.age > 30 && .startsWith(\.name, "A"))
///     .orderBy(\.name, .descending)
///     .top(10).skip(20)
///     .select("Name", "Age")
///     .expand("Friends", .expand("Trips"))
///     .count()
/// let page = try await chain.send(query.request(), as: ODataPage<Person>.self)
/// ```
///
/// It is written as OData 4.01 has it (OASIS URL Conventions and ABNF): quotes in strings doubled, GUIDs and dates bare,
/// one variable for each level of a lambda, brackets where the shape of an expression needs them, and percent-encoded
/// once. Nothing is sent by it; ``request()`` is for any chain.
public struct ODataQuery<Entity: ODataEntity>: Sendable {
    private enum Step: Sendable {
        case name(String)
        case key([(name: String?, value: ODataLiteral)])
    }

    private var steps: [Step]
    var options = ODataQueryOptions()
    private var custom: [(name: String, value: String)] = []

    /// Makes a query of an entity set or a singleton.
    ///
    /// - Parameter set: Its name, such as `People`.
    public init(_ set: String) {
        steps = [.name(set)]
    }

    /// The entity with a key, such as `People('russell')`.
    public func key(_ value: some ODataLiteralConvertible) -> ODataQuery {
        adding(.key([(nil, value.odataLiteral)]))
    }

    /// The entity with a key of several parts, or with an alternate key: `Items(OrderID=1,No=2)`.
    ///
    /// - Parameter parts: The names of the properties with their values, in order.
    public func key(_ parts: KeyValuePairs<String, any ODataLiteralConvertible>) -> ODataQuery {
        adding(.key(parts.map { ($0.key, $0.value.odataLiteral) }))
    }

    /// Returns the query of the resources that a property of the entity leads to: `People('russell')/Trips`.
    ///
    /// - Parameters:
    ///   - property: The name of the property, or a path of several.
    ///   - type: The type of what it leads to.
    public func navigating<Target: ODataEntity>(to property: String, as type: Target.Type) -> ODataQuery<Target> {
        var query = ODataQuery<Target>(property)
        query.steps =
            steps.map { step in
                switch step {
                case .name(let name): .name(name)
                case .key(let parts): .key(parts)
                }
            } + [.name(property)]
        return query
    }

    /// Only entities of which a filter is true; a second filter adds to the first.
    public func filter(_ filter: ODataExpression<Entity>) -> ODataQuery {
        changing { $0.add(filter: filter.node) }
    }

    /// Entities in the order of a property; a second property orders those that are equal in the first.
    public func orderBy(_ property: String, _ direction: ODataDirection = .ascending) -> ODataQuery {
        orderBy(.property(property), direction)
    }

    /// Entities in the order of a property.
    public func orderBy<Value>(
        _ path: KeyPath<Entity, Value>,
        _ direction: ODataDirection = .ascending
    ) -> ODataQuery {
        orderBy(.property(path), direction)
    }

    /// Entities in the order of a value that is computed for each.
    public func orderBy(
        _ expression: ODataExpression<Entity>,
        _ direction: ODataDirection = .ascending
    ) -> ODataQuery {
        changing { $0.orders.append((expression.node, direction)) }
    }

    /// The first so many entities.
    public func top(_ count: Int) -> ODataQuery { changing { $0.top = count } }

    /// Without the first so many entities.
    public func skip(_ count: Int) -> ODataQuery { changing { $0.skip = count } }

    /// With these properties alone.
    public func select(_ properties: String...) -> ODataQuery { changing { $0.select += properties } }

    /// With this property, and those selected before, alone.
    public func select<Value>(_ path: KeyPath<Entity, Value>) -> ODataQuery {
        changing { $0.selectNodes.append(Entity.node(of: path)) }
    }

    /// With what a property leads to inside each entity.
    ///
    /// - Parameters:
    ///   - property: The name of the navigation property.
    ///   - options: What of it: ``ODataExpansion/filter(_:)``, ``ODataExpansion/expand(_:_:)`` and the others.
    public func expand(_ property: String, _ options: ODataExpansion...) -> ODataQuery {
        changing { $0.expansions.append((property, options)) }
    }

    /// With the number of all entities that the filter is true of (``ODataPage/count``).
    public func count() -> ODataQuery { changing { $0.count = true } }

    /// Only entities that a free-text search finds.
    public func search(_ search: ODataSearch) -> ODataQuery { changing { $0.search = search } }

    /// With a query option of the service's own, whose name does not begin with `$`.
    public func option(_ name: String, _ value: String) -> ODataQuery {
        var query = self
        query.custom.append((name, value))
        return query
    }

    /// Path and query, percent-encoded, relative to the root of the service.
    ///
    /// - Throws: ``ODataQueryError`` for names that are none and for numbers below zero.
    public func url() throws(ODataQueryError) -> String {
        var pairs: [String] = []
        for (name, value) in try options.pairs() { pairs.append("$\(name)=\(ODataEncoding.query(value))") }
        for (name, value) in custom { pairs.append("\(ODataEncoding.part(name))=\(ODataEncoding.part(value))") }
        return try path() + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// The URL of the number of entities as plain text: `People/$count?$filter=…`.
    ///
    /// - Throws: ``ODataQueryError`` as ``url()`` does.
    public func countURL() throws(ODataQueryError) -> String {
        var pairs: [String] = []
        for (name, value) in try options.pairs() where name == "filter" || name == "search" {
            pairs.append("$\(name)=\(ODataEncoding.query(value))")
        }
        return try path() + "/$count" + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// A GET request for what the query asks, relative to the root of the service, with the fields that OData wants.
    ///
    /// - Throws: ``ODataQueryError``.
    public func request() throws(ODataQueryError) -> Request {
        .get(try url(), headers: [.accept: "application/json", .odataMaximumVersion: "4.01"])
    }

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

    private func adding(_ step: Step) -> ODataQuery {
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

/// The direction of an order.
public enum ODataDirection: String, Sendable, Hashable {
    /// The least first.
    case ascending = "asc"
    /// The greatest first.
    case descending = "desc"
}
