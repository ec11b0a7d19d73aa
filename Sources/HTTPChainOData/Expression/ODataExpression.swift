/// A type that names its properties in an OData service, so that filters can use key paths.
///
/// ```swift
/// struct Person: ODataEntity, Decodable {
///     var name: String
///     var age: Int
///     static var odataNames: [PartialKeyPath<Person>: String] { [\.name: "Name", \.age: "Age"] }
/// }
///
/// ODataQuery<Person>("People").filter(\.age > 30 && .property(\.name).startsWith("A"))
/// ```
public protocol ODataEntity: Sendable {
    /// The names of the properties; the name of a nested property is a path (`\.address.city: "Address/City"`).
    static var odataNames: [PartialKeyPath<Self>: String] { get }
}

/// An entity of unknown type, whose properties are given by name.
public enum ODataAnyEntity: ODataEntity {
    /// No names.
    public static var odataNames: [PartialKeyPath<ODataAnyEntity>: String] { [:] }
}

/// A filter, or a value used in a filter.
///
/// Build one from key paths, names and literals with Swift's operators and these functions:
///
/// ```swift
/// let filter: ODataExpression<Person> = \.age > 30 && (\.city == "Oslo" || .property("Address/Country") == "Norway")
/// ODataExpression<Person>.property("Name").lowercased().contains("ann")
/// ```
///
/// An invalid name, or a key path without a name, throws ``ODataQueryError`` when the query is built.
public struct ODataExpression<Entity: ODataEntity>: Sendable {
    let node: ODataNode

    init(_ node: ODataNode) { self.node = node }

    /// Returns a property by name, or by a path with slashes.
    public static func property(_ path: String) -> ODataExpression { ODataExpression(.path(path)) }

    /// Returns a property by key path.
    public static func property<Value>(_ path: KeyPath<Entity, Value>) -> ODataExpression {
        ODataExpression(Entity.node(of: path))
    }

    /// Returns a value.
    public static func value(_ value: some ODataLiteralConvertible) -> ODataExpression {
        ODataExpression(.literal(value.odataLiteral))
    }

    /// Returns a literal fragment, such as a function of the service; it is placed in parentheses.
    ///
    /// - Parameter text: The fragment, not percent-encoded. It isn't checked, so never include user input.
    public static func raw(_ text: String) -> ODataExpression { ODataExpression(.raw(text)) }

    /// Returns a call of an OData function that has no method here, with unnamed arguments.
    ///
    /// ```swift
    /// struct Person: ODataEntity { static var odataNames: [PartialKeyPath<Person>: String] { [:] } }
    ///
    /// let floor = ODataExpression<Person>.function("floor", .property("Score"))
    /// let size = ODataExpression<Person>.function("cast", .property("Size"), .property("Edm.String"))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name, such as `geo.distance`.
    ///   - arguments: The arguments. To pass a type, use a property with the type's name.
    public static func function(_ name: String, _ arguments: ODataExpression...) -> ODataExpression {
        ODataExpression(.call(name, arguments.map(\.node)))
    }

    /// Returns a call of a function of the service, with named parameters, OData URL Conventions 4.01 §5.1.1.16.
    ///
    /// ```swift
    /// struct Person: ODataEntity { static var odataNames: [PartialKeyPath<Person>: String] { [:] } }
    ///
    /// let near = ODataExpression<Person>.function("Ns.Near", ["place": .property("Home"), "limit": .value(3)])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name, including the namespace.
    ///   - parameters: The names and values of its parameters.
    public static func function(
        _ name: String,
        _ parameters: KeyValuePairs<String, ODataExpression>
    ) -> ODataExpression {
        ODataExpression(.call(name, parameters.map { .named($0.key, $0.value.node) }))
    }

    /// Returns the expression as written in a URL, before percent-encoding.
    ///
    /// - Throws: ``ODataQueryError``.
    package func text() throws(ODataQueryError) -> String { try ODataWriter.text(of: node) }
}

extension ODataEntity {
    static func name(of path: PartialKeyPath<Self>) -> String? { odataNames[path] }

    static func node(of path: PartialKeyPath<Self>) -> ODataNode {
        name(of: path).map(ODataNode.path) ?? .unnamed("\(path)")
    }
}
