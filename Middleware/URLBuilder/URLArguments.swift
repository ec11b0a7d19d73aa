public import HTTPChainCore

/// A call's values for the URL builder, which aren't sent anywhere else.
public struct URLArguments: Sendable {
    /// The values of the reference's variables: `{id}`, `:id`, and `%%0%%` by position.
    ///
    /// A value that isn't used by a variable is refused, unless a custom builder makes the URL.
    public var path: URLParameters
    /// The parameters to append to the query.
    public var query: URLQuery
    /// Values reserved for the builder.
    ///
    /// A custom builder reads them. The values of variables that are missing in ``path`` are also looked up here.
    /// Reserved values never become part of the query, the header fields or the body.
    public var reserved: URLParameters
    /// Values of any type that are reserved for a custom builder, by name.
    ///
    /// Variables aren't looked up here, and the values never become part of the request. Calls with such values are
    /// never considered equal, because values of any type can't be compared.
    public var reservedValues: [String: any Sendable] = [:]
    /// The encoder of this call's query, or `nil` for the stage's.
    package var encoder: ParameterEncoder?
    /// The notations for variables in this call's reference, or `nil` for the stage's.
    package var syntax: VariableNotations?
    /// Whether this call's URL may have an origin other than the base's, or `nil` for the stage's setting.
    package var leavesOrigin: LeavesOrigin?
    /// The builder of this call's URL, or `nil` for the stage's.
    package var builder: (any URLBuilding)?
    /// The query parameters that replace all those with the same names in the complete URL.
    package var replacements: [String: String] = [:]

    /// The names in ``path`` that are also used by something other than the reference, such as a header template.
    package var namesUsedElsewhere: [String] = []

    /// No arguments.
    ///
    /// Created once, because creating them from literals takes longer than a copy.
    static let none = URLArguments()

    /// Makes arguments, for a ``URLBuilder`` without a chain.
    public init(path: URLParameters = [:], query: URLQuery = [:], reserved: URLParameters = [:]) {
        self.path = path
        self.query = query
        self.reserved = reserved
    }

    /// Makes arguments without values, for a reference with variables in these notations.
    package init(syntax: VariableNotations) {
        self.init()
        self.syntax = syntax
    }

    /// Whether a URL is the same with and without the arguments.
    ///
    /// Those that aren't checked only affect how values are written.
    var isEmpty: Bool {
        hasNoVariables && reservedValues.isEmpty && query.isEmpty && builder == nil && leavesOrigin != .refused
    }

    /// Whether there are no values for variables.
    var hasNoVariables: Bool { path.isEmpty && reserved.isEmpty }
}

/// A call's arguments for the URL builder.
///
/// ``URLBuilderMiddleware`` removes them from the request.
///
/// They are usually set by convenience methods, such as `.get("users/{id}", path: ["id": 42])`.
package enum URLArgumentsOption: RequestOption {
    /// No arguments.
    package static var defaultValue: URLArguments? { nil }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage("the path, query and builder of the URL", reader: "URLBuilderMiddleware(base: …)", phase: .build)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value?.isEmpty ?? true
    }
}

/// Whether a call has ``URLArguments/reservedValues``, but no custom builder that could read them.
package enum CustomBuilderOption: RequestOption {
    /// `false`: there are no such values.
    package static var defaultValue: Bool { false }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".url(reserved:_:)", reader: "URLBuilderMiddleware(builder: …)", phase: .build)
    }
    /// Returns whether a chain without a custom builder may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool { !value }
    /// Always `false`: the values themselves are compared.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// This call's values for the variables and the query of its URL.
    package var urlArguments: URLArguments {
        get { options[URLArgumentsOption.self] ?? URLArguments() }
        set {
            options[URLArgumentsOption.self] = newValue
            let needsBuilder = !newValue.reservedValues.isEmpty && newValue.builder == nil
            if needsBuilder {
                options[CustomBuilderOption.self] = true
            } else {
                options.remove(CustomBuilderOption.self)
            }
        }
    }

    /// Returns the request with a setting for whether its URL may leave the base's origin.
    ///
    /// ```swift
    /// try await chain.send(.get("https://downloads.example.net/plan.pdf").url(leavesOrigin: .allowed))
    /// ```
    public consuming func url(leavesOrigin: LeavesOrigin) -> Request {
        urlArguments.leavesOrigin = leavesOrigin
        return self
    }

    /// Returns the request with its own URL builder, which replaces the stage's.
    ///
    /// ```swift
    /// try await chain.send(.get("reports/{id}", path: ["id": 7]).url(builtBy: Regional()))
    /// ```
    public consuming func url(builtBy builder: some URLBuilding) -> Request {
        urlArguments.builder = builder
        return self
    }

    /// Returns the request with a value of any type that only a custom URL builder receives.
    ///
    /// ```swift
    /// struct ReportBuilder: URLBuilding {
    ///     func url(for call: URLBuildingCall) async throws -> String {
    ///         guard let days = call.arguments.reservedValues["days"] as? ClosedRange<Int> else { throw NoDays() }
    ///         return try call.standardURL(reference: "reports/\(days.lowerBound)-\(days.upperBound)")
    ///     }
    /// }
    /// try await chain.send(.get("reports").url(reserved: "days", 3...7).url(builtBy: ReportBuilder()))
    /// ```
    ///
    /// For the values of URL variables, which the standard builder also finds, use ``url(path:query:reserved:)``. If
    /// neither the stage nor the call has a custom builder, the chain refuses the request.
    ///
    /// - Parameters:
    ///   - name: The name in ``URLArguments/reservedValues``.
    ///   - value: The value.
    public consuming func url(reserved name: String, _ value: some Sendable) -> Request {
        urlArguments.reservedValues[name] = value
        return self
    }

    /// Returns the request with additional values for URL variables, query parameters, and values reserved for the
    /// builder.
    ///
    /// ```swift
    /// try Request.post("users/{id}/notes", json: note).url(path: ["id": 42])
    /// ```
    public consuming func url(
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
