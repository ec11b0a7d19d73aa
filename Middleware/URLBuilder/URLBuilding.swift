public import HTTPChainCore
public import HTTPTypes

/// Builds the URLs of a chain in a custom way.
///
/// ```swift
/// struct Regional: URLBuilding {
///     func url(for call: URLBuildingCall) async throws -> String {
///         guard case .string(let region)? = call.arguments.reserved["region"] else { return try call.standardURL() }
///         return try call.standardURL(base: "https://\(region).example.com/v2")
///     }
/// }
/// ```
public protocol URLBuilding: Sendable {
    /// Returns the URL of a call: absolute, or relative to the stage's base.
    ///
    /// It is a finished reference: it isn't searched for variables, and the call's query isn't appended
    /// (``URLBuildingCall/standardURL(base:reference:)`` does both). It is joined to the base, an internationalized
    /// host and invalid characters are encoded, and a path that leaves the base is refused.
    ///
    /// - Throws: Any error, which reaches the caller unchanged.
    func url(for call: URLBuildingCall) async throws -> String
}

/// A call, as seen by a URL builder.
public struct URLBuildingCall: Sendable {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The request's URL as the caller wrote it, including variables.
    public let reference: String
    /// The call's values for the builder.
    public let arguments: URLArguments
    /// All options of the call, for builders with their own options.
    public let options: RequestOptions
    let standard: URLBuilder

    /// Returns the URL that the stage would build by itself: with variables filled in, joined to the base, and the
    /// query appended.
    ///
    /// Values that no variable uses are ignored, because the custom builder may have used them.
    ///
    /// - Parameters:
    ///   - base: A different base; `nil` for the stage's.
    ///   - reference: A different reference; `nil` for the call's.
    /// - Throws: ``URLBuilderError``.
    public func standardURL(base: String? = nil, reference: String? = nil) throws(URLBuilderError) -> String {
        let builder = try base.map { (base) throws(URLBuilderError) in try standard.over(base) } ?? standard
        var arguments = arguments
        arguments.namesUsedElsewhere = arguments.path.elements.map(\.name)
        return try builder.url(reference ?? self.reference, arguments)
    }
}

/// A builder made from a closure.
struct ClosureURLBuilding: URLBuilding {
    let build: @Sendable (URLBuildingCall) async throws -> String

    func url(for call: URLBuildingCall) async throws -> String { try await build(call) }
}
