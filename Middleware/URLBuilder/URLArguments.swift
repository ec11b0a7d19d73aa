public import HTTPChainCore

/// The values that one call gives the URL builder; nothing of it is sent anywhere else.
public struct URLArguments: Sendable {
    /// Values of the variables in the reference: `{id}`, `:id`, and `%%0%%` by position.
    public var path: URLParameters
    /// Parameters appended to the query.
    public var query: URLQuery
    /// Values for the builder alone.
    ///
    /// A custom builder reads them, and variables that ``path`` does not name are looked up here. They are never made
    /// part of the query, the header fields or the body.
    public var reserved: URLParameters
    /// The encoder of this call's query; `nil` for the stage's way.
    public var encoder: ParameterEncoder?
    /// The notations for variables in this call's reference; `nil` for the stage's.
    public var syntax: URLVariableSyntax?
    /// Whether this call's URL may be on another origin than the base; `nil` for the stage's setting.
    public var leavesOrigin: LeavesOrigin?
    /// The builder of this call's URL, in the place of the stage's; `nil` for the stage's.
    public var builder: (any URLBuilding)?

    /// Makes arguments.
    public init(
        path: URLParameters = [:],
        query: URLQuery = [:],
        reserved: URLParameters = [:],
        encoder: ParameterEncoder? = nil,
        syntax: URLVariableSyntax? = nil
    ) {
        self.path = path
        self.query = query
        self.reserved = reserved
        self.encoder = encoder
        self.syntax = syntax
    }

    /// Whether there is no value for a variable.
    var hasNoVariables: Bool { path.isEmpty && reserved.isEmpty }
}

/// The URL builder's arguments of one call; ``URLBuilderMiddleware`` takes them out of the request it passes on.
///
/// Usually set by the conveniences: `.get("users/{id}", path: ["id": 42])`.
public enum URLArgumentsOption: RequestOption {
    /// No arguments.
    public static var defaultValue: URLArguments? { nil }
}

extension Request {
    /// The values that this call gives the URL builder, for the variables and the query of its URL.
    public var urlArguments: URLArguments {
        get { options[URLArgumentsOption.self] ?? URLArguments() }
        set { options[URLArgumentsOption.self] = newValue }
    }

    /// The request, whose URL may be on another origin than the base of a stage that otherwise refuses that.
    ///
    /// ```swift
    /// try await chain.send(.get("https://downloads.example.net/plan.pdf").leavingOrigin())
    /// ```
    public consuming func leavingOrigin() -> Request {
        urlArguments.leavesOrigin = .allowed
        return self
    }

    /// The request with a builder of its own for its URL, in the place of the stage's.
    ///
    /// ```swift
    /// try await chain.send(.get("reports/{id}", path: ["id": 7]).url(builtBy: Regional()))
    /// ```
    public consuming func url(builtBy builder: some URLBuilding) -> Request {
        urlArguments.builder = builder
        return self
    }

    /// The request with values for the variables of its URL, query parameters, and values for the builder alone, added
    /// to those it has.
    ///
    /// ```swift
    /// try Request.post("users/{id}/notes", json: note).with(path: ["id": 42])
    /// ```
    public consuming func with(
        path: URLParameters = [:],
        query: URLQuery = [:],
        reserved: URLParameters = [:]
    ) -> Request {
        var arguments = urlArguments
        arguments.path.elements += path.elements
        arguments.query = arguments.query + query
        arguments.reserved.elements += reserved.elements
        urlArguments = arguments
        return self
    }
}
