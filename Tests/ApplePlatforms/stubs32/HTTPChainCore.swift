// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// The part of the core that the rules use and that embedded Swift cannot compile.
@_exported public import HTTPChainSupport
@_exported public import HTTPChainTime
@_exported public import HTTPChainValues
public import HTTPTypes

public protocol HTTPChainError: Error {}

public struct TransportError: HTTPChainError {
    public enum Sent: Sendable { case nothing, maybe, answered }
}

public protocol RequestOption {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct Phase: Sendable {
    public static let rateLimit = Phase()
}

public struct OptionUsage: Sendable {
    public init(_ expression: String, reader: String? = nil, phase: Phase) {}
}

public struct RequestOptions: Sendable {
    public subscript<Option: RequestOption>(_ option: Option.Type) -> Option.Value {
        get { Option.defaultValue }
        set {}
    }
}

public enum OriginalContentFieldsFact: RequestOption {
    public static var defaultValue: HTTPFields { HTTPFields() }
}

public struct HTTPBody: Sendable {
    public var length: Int64?
}

public struct Request: Sendable {
    public var head: HTTPRequest
    public var options: RequestOptions
}

public struct Response: Sendable {
    public var head: HTTPResponse
    public var body: HTTPBody
    public var options: RequestOptions
    public var headers: HTTPFields { head.headerFields }
    public var status: HTTPResponse.Status { head.status }
}
