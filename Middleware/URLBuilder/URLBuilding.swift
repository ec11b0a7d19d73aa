public import HTTPChainCore
public import HTTPTypes

/// Builds the URLs of a chain in a way of its own.
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
    /// The URL of a call: absolute, or relative to the stage's base.
    ///
    /// It is a finished reference: variables are not looked for in it, and the call's query is not appended to it
    /// (``URLBuildingCall/standardURL(base:reference:)`` does both). It is joined with the base, an internationalised
    /// host and characters that no URL may hold are encoded, and a path that climbs out of the base is refused.
    ///
    /// - Throws: What the builder likes; it reaches the caller unchanged.
    func url(for call: URLBuildingCall) async throws -> String
}

/// One call, as a builder of URLs sees it.
public struct URLBuildingCall: Sendable {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The request's URL as the caller wrote it, variables included.
    public let reference: String
    /// The values that the call gives the builder.
    public let arguments: URLArguments
    /// All that the call declares, for builders with options of their own.
    public let options: RequestOptions
    let standard: URLBuilder

    /// Returns the URL that the stage builds without a custom builder: variables filled in, joined with the base, query
    /// appended.
    ///
    /// - Parameters:
    ///   - base: Another base; `nil` for the stage's.
    ///   - reference: Another reference; `nil` for the call's.
    /// - Throws: ``URLBuilderError``.
    public func standardURL(base: String? = nil, reference: String? = nil) throws(URLBuilderError) -> String {
        let builder = try base.map { (base) throws(URLBuilderError) in try standard.over(base) } ?? standard
        return try builder.url(reference ?? self.reference, arguments)
    }
}

/// A builder made of a closure.
struct ClosureURLBuilding: URLBuilding {
    let build: @Sendable (URLBuildingCall) async throws -> String

    func url(for call: URLBuildingCall) async throws -> String { try await build(call) }
}
