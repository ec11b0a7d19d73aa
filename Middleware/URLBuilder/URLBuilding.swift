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
    /// Returns the URL of a call, which may be absolute or relative to the stage's base.
    ///
    /// The result isn't searched for variables, and the call's query isn't appended;
    /// ``URLBuildingCall/standardURL(base:reference:)`` does both. The result is joined to the base, and an
    /// internationalized host and invalid characters are encoded. A path that leaves the base is refused.
    ///
    /// - Throws: Any error. It reaches the caller unchanged.
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

    /// Returns the URL that the stage would build by itself, with variables filled in, joined to the base, and with the
    /// query appended.
    ///
    /// Values that aren't used by a variable are ignored, because the custom builder may have used them.
    ///
    /// - Parameters:
    ///   - base: A different base, or `nil` for the stage's.
    ///   - reference: A different reference, or `nil` for the call's.
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
