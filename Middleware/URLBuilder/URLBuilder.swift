public import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

/// Fills in, encodes and joins URLs in the same way as ``URLBuilderMiddleware``, without a chain.
///
/// ```swift
/// let builder = try URLBuilder(base: "https://api.example.com/v2?key=1")
/// try builder.url("users/{id}", URLArguments(path: ["id": 42], query: ["q": "x y"]))
/// // https://api.example.com/v2/users/42?key=1&q=x%20y
/// ```
public struct URLBuilder: Sendable {
    private var base: BaseURL?
    private let encoder: ParameterEncoder
    private let syntax: VariableNotations
    private let leavesOrigin: LeavesOrigin
    private let cache: PatternCache
}

extension URLBuilder {
    /// Makes a builder.
    ///
    /// - Parameters:
    ///   - base: An absolute http or https URL, or `nil` if all references are absolute.
    ///   - encoder: The encoder for query parameters.
    ///   - syntax: The notations for variables.
    ///   - leavesOrigin: Whether a URL may have an origin other than the base's. By default, it may.
    /// - Throws: ``URLBuilderError`` if the base isn't such a URL.
    public init(
        base: String?,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: Set<URLVariableSyntax> = Set(URLVariableSyntax.allCases),
        leavesOrigin: LeavesOrigin = .allowed
    ) throws(URLBuilderError) {
        self.init(
            base: try base.map { (base) throws(URLBuilderError) in try BaseURL(base) },
            encoder: encoder,
            syntax: VariableNotations(syntax),
            leavesOrigin: leavesOrigin,
            cache: PatternCache()
        )
    }

    func over(_ base: String) throws(URLBuilderError) -> URLBuilder {
        var builder = self
        builder.base = try BaseURL(base)
        return builder
    }

    /// The number of cached templates.
    ///
    /// Up to 256 recently used ones are cached.
    package var cachedTemplates: Int { cache.count }

    /// Returns the absolute URL of a reference.
    ///
    /// - Parameters:
    ///   - reference: A relative reference, which is appended to the base's path, or a URL with a host, which is used
    ///     unchanged if it may leave the base's origin.
    ///   - arguments: The values of its variables, and query parameters.
    /// - Throws: ``URLBuilderError`` with the invalid variable or part of the reference.
    public func url(
        _ reference: String,
        _ arguments: URLArguments = URLArguments()
    ) throws(URLBuilderError) -> String {
        if let position = reference.utf8.firstIndex(where: \.isControl) {
            throw URLBuilderError(
                .malformedTemplate(
                    reference,
                    position: reference.distance(from: reference.startIndex, to: position),
                    reason: "a control character; remove or percent-encode it"
                )
            )
        }
        let split = URLReference(reference)
        let target = try target(scheme: split.scheme, authority: split.authority, reference: split.path, arguments)
        var url: [UInt8] = []
        url.reserveCapacity(target.path.count + 80)
        url += (target.scheme ?? "").utf8
        url += [.colon, .slash, .slash]
        url += (target.authority ?? "").utf8
        url += target.path
        return String(decoding: url, as: UTF8.self)
    }

    /// Makes the head's target absolute.
    func build(_ head: inout HTTPRequest, _ arguments: URLArguments) throws(URLBuilderError) {
        let reference = head.path ?? ""
        let authority = head.authority
        if authority != nil, reference == "*" {
            return try hold(Target(scheme: head.scheme, authority: authority), arguments)
        }
        let target = try target(scheme: head.scheme, authority: authority, reference: reference, arguments)
        let path = String(decoding: target.path, as: UTF8.self)
        if head.scheme == nil, authority == nil, head.extendedConnectProtocol == nil {
            // A new target is made, because that takes half the time of changing the old one three times.
            head = HTTPRequest(
                method: head.method,
                scheme: target.scheme,
                authority: target.authority,
                path: path,
                headerFields: head.headerFields
            )
            return
        }
        if head.scheme != target.scheme { head.scheme = target.scheme }
        if authority != target.authority { head.authority = target.authority }
        head.path = path
    }

    /// Returns the URL of a head, without joining it to the base.
    ///
    /// A relative reference stays relative, with its variables filled in and its query appended.
    func reference(of head: HTTPRequest, _ arguments: URLArguments) throws(URLBuilderError) -> String {
        let target = try target(
            scheme: head.scheme,
            authority: head.authority,
            reference: head.path ?? "",
            arguments,
            isJoined: false
        )
        let path = String(decoding: target.path, as: UTF8.self)
        guard let authority = target.authority else { return path }
        return (target.scheme.map { $0 + "://" } ?? "//") + authority + path
    }

    /// Returns the template of a head's path, appended to the base's path, such as `/v2/users/{id}`.
    ///
    /// - Returns: `nil` for a reference without variables, because there may be any number of such references.
    package func template(of head: HTTPRequest, _ arguments: URLArguments) -> String? {
        let reference = head.path ?? ""
        var syntax = arguments.syntax ?? self.syntax
        if head.authority != nil, arguments.hasNoVariables { syntax.formIntersection(.templates) }
        guard case .template = ReferenceKind(of: reference, syntax: syntax),
            let pattern = syntax == self.syntax
                ? try? cache.pattern(reference, syntax: syntax) : try? URLPattern(reference, syntax: syntax),
            pattern.parts.contains(where: { if case .expression = $0 { true } else { false } })
        else { return nil }
        var path = Array(reference.utf8)[...]
        if let start = URLPattern.authorityStart(of: Array(path)) {
            path = path[start...].drop { $0 != .slash && $0 != .question }
        } else if head.authority == nil, let base {
            path = base.joined(path)[...]
        }
        if path.first != .slash { path = [.slash] + path }
        return String(decoding: path, as: UTF8.self)
    }

    private func target(
        scheme: String?,
        authority: String?,
        reference: String,
        _ arguments: URLArguments,
        isJoined: Bool = true
    ) throws(URLBuilderError) -> Target {
        var syntax = arguments.syntax ?? self.syntax
        // An absolute URL without values comes from elsewhere, so its colons aren't variables.
        if authority != nil, arguments.hasNoVariables { syntax.formIntersection(.templates) }

        var target = Target(scheme: scheme, authority: authority)
        let pattern = try expand(reference, syntax, arguments, into: &target)
        var query: [UInt8] = []
        if !arguments.query.isEmpty {
            let encoder = arguments.encoder ?? encoder
            query = try encoder.bytes(arguments.query)
        }
        if let authority = target.authority {
            guard let scheme = target.scheme ?? base?.scheme else {
                throw URLBuilderError(.noBase(reference: "//\(authority)"))
            }
            target.scheme = scheme
            target.authority = try Self.inASCII(authority)
            if target.path.first != .slash { target.path.insert(.slash, at: 0) }
            try hold(target, arguments)
        } else if isJoined {
            try join(reference, &target)
        }
        try refuseUnused(arguments, in: pattern)
        target.append(query: query)
        target.path.setQuery(arguments.replacements)
        // Square brackets are encoded here, so that inner stages that sign or cache the URL see the one that is sent.
        target.path.encodeSquareBrackets()
        return target
    }

    /// Returns the authority with its host in ASCII, as used for look-up.
    package static func inASCII(_ authority: String) throws(URLBuilderError) -> String {
        guard let ascii = Authority.inASCII(authority) else {
            throw URLBuilderError(Authority.hasZone(authority) ? .zoneInHost(authority) : .invalidHost(authority))
        }
        return ascii
    }

    /// The parts of a URL that is being built.
    private struct Target {
        var scheme: String?
        var authority: String?
        /// The path and the query.
        var path: [UInt8] = []
        /// Whether the path is known not to contain dot segments.
        var hasNoDots = false

        mutating func append(query: some Collection<UInt8>) {
            guard !query.isEmpty else { return }
            if let question = path.firstIndex(of: .question) {
                if question != path.count - 1, path.last != .ampersand { path.append(.ampersand) }
            } else {
                path.append(.question)
            }
            path += query
        }
    }

    /// Refuses values for variables that the reference doesn't have.
    ///
    /// Their names are probably misspelled.
    private func refuseUnused(_ arguments: URLArguments, in pattern: URLPattern?) throws(URLBuilderError) {
        for element in arguments.path.elements {
            Steps.take()
            if let pattern, pattern.hasVariable(element.name) { continue }
            if arguments.namesUsedElsewhere.contains(element.name) { continue }
            throw URLBuilderError(.unusedVariable(element.name, template: pattern?.variableNames ?? []))
        }
    }

    /// Fills in the variables of a reference.
    ///
    /// - Returns: The pattern with the variables, or `nil` if the reference has none.
    private func expand(
        _ reference: String,
        _ syntax: VariableNotations,
        _ arguments: URLArguments,
        into target: inout Target
    ) throws(URLBuilderError) -> URLPattern? {
        switch ReferenceKind(of: reference, syntax: syntax) {
        case .plain:
            target.path = Array(reference.utf8)
            return nil
        case .literal:
            target.path.append(percentEncoding: reference, allowed: .reserved, keepingTriplets: true)
            // The core module doesn't split a reference whose host contains braces. Without templates, such a host is
            // invalid.
            if target.authority == nil, URLPattern.authorityStart(of: target.path) != nil {
                throw URLBuilderError(.invalidHost(reference))
            }
            return nil
        case .template: break
        }
        let pattern =
            syntax == self.syntax
            ? try cache.pattern(reference, syntax: syntax) : try URLPattern(reference, syntax: syntax)
        let lookup = VariableLookup(first: arguments.path, second: arguments.reserved)
        let encoder = arguments.encoder ?? encoder
        if let authority = pattern.authority {
            target.authority = try pattern.expandedAuthority(authority, lookup, encoder)
            target.scheme = pattern.scheme
        }
        var expansion = TemplateExpansion(lookup: lookup, encoder: encoder, rules: .request)
        expansion.output.reserveCapacity(reference.utf8.count + 64)
        try expansion.append(pattern.parts)
        target.path = expansion.output
        if let hash = target.path.firstIndex(of: .hash) { target.path.removeSubrange(hash...) }

        if pattern.authority != nil {
            guard target.path.isEmpty || target.path[0] == .slash || target.path[0] == .question else {
                throw URLBuilderError(.hostInValue(variable: pattern.firstVariable))
            }
        } else if HostInValue.startsAuthority(target.path[...]) {
            throw URLBuilderError(.hostInValue(variable: pattern.firstVariable))
        }
        let path = target.path.prefix { $0 != .question }
        let dots = DotSegments(in: path)
        guard !dots.ranges.isEmpty else {
            target.hasNoDots = true
            return pattern
        }
        // The variable that caused the problem is determined only now.
        expansion.output = []
        expansion.contributions = []
        try expansion.append(pattern.parts)
        // Both lists are in order.
        var ranges = dots.ranges[...]
        for contribution in expansion.contributions ?? [] {
            Steps.take()
            while let first = ranges.first, first.upperBound <= contribution.range.lowerBound { ranges.removeFirst() }
            // A segment of dots can't be empty. A value at its edge is therefore part of the adjacent segment.
            if ranges.first?.overlaps(contribution.range) == true {
                throw URLBuilderError(.climbsOut(reference: reference, variable: contribution.name))
            }
        }
        return pattern
    }

    /// Refuses a URL with an origin other than the base's if the stage or the call requires that.
    private func hold(_ target: Target, _ arguments: URLArguments) throws(URLBuilderError) {
        guard (arguments.leavesOrigin ?? leavesOrigin) == .refused, let base,
            let home = Origin(scheme: base.scheme, authority: base.authority)
        else { return }
        let origin = Origin(scheme: target.scheme, authority: target.authority)
        guard origin != home else { return }
        let shown = origin.map { "\($0)" } ?? Redaction.standard.authority(target.authority ?? "")
        throw URLBuilderError(.leavesOrigin(to: shown, base: home))
    }

    /// Joins a relative reference to the base.
    private func join(_ reference: String, _ target: inout Target) throws(URLBuilderError) {
        guard let base else { throw URLBuilderError(.noBase(reference: reference)) }
        let question = target.path.firstIndex(of: .question)
        var path = target.path[..<(question ?? target.path.endIndex)]
        if !target.hasNoDots {
            let dots = DotSegments(in: path)
            if dots.climbsOut { throw URLBuilderError(.climbsOut(reference: reference, variable: nil)) }
            if !dots.ranges.isEmpty { path = removingDotSegments(from: path)[...] }
        }
        var joined = Target(scheme: base.scheme, authority: base.authority, path: base.joined(path))
        if joined.path.isEmpty { joined.path = [.slash] }
        joined.append(query: base.query)
        if let question { joined.append(query: target.path[(question + 1)...]) }
        target = joined
    }
}

/// The processing that a reference requires before it is joined.
private enum ReferenceKind {
    /// No processing.
    case plain
    /// Percent-encoding.
    case literal
    /// Parsing, because it has variables, or braces that may be variables.
    case template

    init(of reference: String, syntax: VariableNotations) {
        var reference = reference
        self = reference.withUTF8 { bytes in
            var isPlain = true
            for index in bytes.indices {
                Steps.take()
                let byte = bytes[index]
                switch byte {
                case .openBrace, .closeBrace:
                    if syntax.contains(.templates) { return .template }
                case .colon:
                    if syntax.contains(.colons) { return .template }
                case .percent:
                    if bytes.percentEncodedByte(at: index) != nil { continue }
                    if syntax.contains(.positions), index + 1 < bytes.count, bytes[index + 1] == .percent {
                        return .template
                    }
                default: break
                }
                if !ByteSet.reserved.contains(byte) { isPlain = false }
            }
            return isPlain ? .plain : .literal
        }
    }
}
