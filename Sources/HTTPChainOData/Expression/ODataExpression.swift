/// A type whose properties have names in an OData service, so that filters can be written with key paths.
///
/// ```swift
/// struct Person: ODataEntity, Decodable {
///     var name: String
///     var age: Int
///     static var odataNames: [PartialKeyPath<Person>: String] { [\.name: "Name", \.age: "Age"] }
/// }
///
/// ODataQuery<Person>("People").filter(\.age > 30 && .startsWith(\.name, "A"))
/// ```
public protocol ODataEntity: Sendable {
    /// The names of the properties; a path for one of a property's own (`\.address.city: "Address/City"`).
    static var odataNames: [PartialKeyPath<Self>: String] { get }
}

/// An entity whose type is not known: its properties are named by text.
public enum ODataAnyEntity: ODataEntity {
    /// None.
    public static var odataNames: [PartialKeyPath<ODataAnyEntity>: String] { [:] }
}

/// A filter, or a value that a filter computes with.
///
/// It is made of key paths, names and literals with Swift's operators and the functions here:
///
/// ```swift
/// let filter: ODataExpression<Person> = \.age > 30 && (\.city == "Oslo" || .property("Address/Country") == "Norway")
/// ODataExpression<Person>.property("Name").lowercased().contains("ann")
/// ```
///
/// A name that is none, or a key path that has none, is an ``ODataQueryError`` when the query is built.
public struct ODataExpression<Entity: ODataEntity>: Sendable {
    let node: ODataNode

    init(_ node: ODataNode) { self.node = node }

    /// A property by its name, or by its path with slashes.
    public static func property(_ path: String) -> ODataExpression { ODataExpression(.path(path)) }

    /// A property by its key path.
    public static func property<Value>(_ path: KeyPath<Entity, Value>) -> ODataExpression {
        ODataExpression(Entity.node(of: path))
    }

    /// A value.
    public static func value(_ value: some ODataLiteralConvertible) -> ODataExpression {
        ODataExpression(.literal(value.odataLiteral))
    }

    /// A fragment that is written already, such as a function of the service's own; it is put in brackets.
    ///
    /// - Parameter text: The fragment, not percent-encoded. It is not checked: never put in it what a user typed.
    public static func raw(_ text: String) -> ODataExpression { ODataExpression(.raw(text)) }

    /// A call of a function of OData that has no method here, such as `geo.distance`: its arguments have no names.
    public static func function(_ name: String, _ arguments: ODataExpression...) -> ODataExpression {
        ODataExpression(.call(name, arguments.map(\.node)))
    }

    /// A call of a function of the service's own, which names its parameters, OData URL Conventions 4.01 §5.1.1.16.
    ///
    /// ```swift
    /// struct Person: ODataEntity { static var odataNames: [PartialKeyPath<Person>: String] { [:] } }
    ///
    /// let near = ODataExpression<Person>.function("Ns.Near", ["place": .property("Home"), "limit": .value(3)])
    /// ```
    ///
    /// - Parameters:
    ///   - name: Its name, with the namespace.
    ///   - parameters: The names and values of its parameters.
    public static func function(
        _ name: String,
        _ parameters: KeyValuePairs<String, ODataExpression>
    ) -> ODataExpression {
        ODataExpression(.call(name, parameters.map { .named($0.key, $0.value.node) }))
    }

    /// The expression as it stands in a URL, before it is percent-encoded.
    ///
    /// - Throws: ``ODataQueryError``.
    public func text() throws(ODataQueryError) -> String { try ODataWriter.text(of: node) }
}

extension ODataEntity {
    static func name(of path: PartialKeyPath<Self>) -> String? { odataNames[path] }

    static func node(of path: PartialKeyPath<Self>) -> ODataNode {
        name(of: path).map(ODataNode.path) ?? .unnamed("\(path)")
    }
}
