public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Fills in, encodes and joins URLs: what ``URLBuilderMiddleware`` does to a request, with no chain around it.
///
/// ```swift
/// let builder = try URLBuilder(base: "https://api.example.com/v2?key=1")
/// try builder.url("users/{id}", URLArguments(path: ["id": 42], query: ["q": "x y"]))
/// // https://api.example.com/v2/users/42?key=1&q=x%20y
/// ```
public struct URLBuilder: Sendable {
    private let base: BaseURL?
    private let encoder: ParameterEncoder
    private let syntax: URLVariableSyntax
    private let leavesOrigin: LeavesOrigin
    private let cache: PatternCache

    /// Makes a builder.
    ///
    /// - Parameters:
    ///   - base: An absolute http or https URL; `nil` when all references are absolute.
    ///   - encoder: How query parameters are written.
    ///   - syntax: Which notations for variables there are.
    ///   - leavesOrigin: Whether a URL may be on another origin than the base; it may by default.
    /// - Throws: ``URLBuilderError`` when the base is not such a URL.
    public init(
        base: String?,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: URLVariableSyntax = .all,
        leavesOrigin: LeavesOrigin = .allowed
    ) throws(URLBuilderError) {
        self.init(
            base: try base.map { (base) throws(URLBuilderError) in try BaseURL(base) },
            encoder: encoder,
            syntax: syntax,
            leavesOrigin: leavesOrigin,
            cache: PatternCache()
        )
    }

    private init(
        base: BaseURL?,
        encoder: ParameterEncoder,
        syntax: URLVariableSyntax,
        leavesOrigin: LeavesOrigin,
        cache: PatternCache
    ) {
        self.base = base
        self.encoder = encoder
        self.syntax = syntax
        self.leavesOrigin = leavesOrigin
        self.cache = cache
    }

    func over(_ base: String) throws(URLBuilderError) -> URLBuilder {
        URLBuilder(
            base: try BaseURL(base),
            encoder: encoder,
            syntax: syntax,
            leavesOrigin: leavesOrigin,
            cache: cache
        )
    }

    /// The number of parsed templates that are kept for the next call: at most 256, those used last.
    public var cachedTemplates: Int { cache.count }

    /// The absolute URL of a reference.
    ///
    /// - Parameters:
    ///   - reference: A relative reference, appended to the base's path, or a URL with a host, which passes through if it
    ///     may leave the base's origin.
    ///   - arguments: Values of its variables, and query parameters.
    /// - Throws: ``URLBuilderError`` that says which variable or which part of the reference is at fault.
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
    func build(_ head: inout HTTPRequest, _ arguments: URLArguments?) throws(URLBuilderError) {
        let reference = head.path ?? ""
        let authority = head.authority
        if authority != nil, reference == "*" {
            return try hold(Target(scheme: head.scheme, authority: authority), arguments)
        }
        let target = try target(scheme: head.scheme, authority: authority, reference: reference, arguments)
        if head.scheme != target.scheme { head.scheme = target.scheme }
        if authority != target.authority { head.authority = target.authority }
        head.path = String(decoding: target.path, as: UTF8.self)
    }

    /// Returns the template of a head's path, below the base's path: `/v2/users/{id}`.
    ///
    /// - Returns: `nil` for a reference without variables, which may be one of any number.
    func template(of head: HTTPRequest, _ arguments: URLArguments?) -> String? {
        let reference = head.path ?? ""
        var syntax = arguments?.syntax ?? self.syntax
        if head.authority != nil, arguments?.hasNoVariables ?? true { syntax.formIntersection(.templates) }
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
        _ arguments: URLArguments?
    ) throws(URLBuilderError) -> Target {
        var syntax = arguments?.syntax ?? self.syntax
        // An absolute URL that comes without values is somebody else's, and its colons are no variables.
        if authority != nil, arguments?.hasNoVariables ?? true { syntax.formIntersection(.templates) }

        var target = Target(scheme: scheme, authority: authority)
        try expand(reference, syntax, arguments, into: &target)
        var query: [UInt8] = []
        if let arguments, !arguments.query.isEmpty {
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
        } else {
            try join(reference, &target)
        }
        target.append(query: query)
        return target
    }

    /// The authority with its host in ASCII, as it is looked up.
    static func inASCII(_ authority: String) throws(URLBuilderError) -> String {
        guard let ascii = Authority.inASCII(authority) else {
            throw URLBuilderError(Authority.hasZone(authority) ? .zoneInHost(authority) : .invalidHost(authority))
        }
        return ascii
    }

    /// The pieces of a URL that is being built.
    private struct Target {
        var scheme: String?
        var authority: String?
        /// Path and query.
        var path: [UInt8] = []
        /// Whether the path is known to hold no dot segments.
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

    private func expand(
        _ reference: String,
        _ syntax: URLVariableSyntax,
        _ arguments: URLArguments?,
        into target: inout Target
    ) throws(URLBuilderError) {
        switch ReferenceKind(of: reference, syntax: syntax) {
        case .plain:
            target.path = Array(reference.utf8)
            return
        case .literal:
            target.path.append(percentEncoding: reference, allowed: .reserved, keepingTriplets: true)
            // Core leaves a reference whole whose host has braces; without templates that host is no host.
            if target.authority == nil, URLPattern.authorityStart(of: target.path) != nil {
                throw URLBuilderError(.invalidHost(reference))
            }
            return
        case .template: break
        }
        let pattern =
            syntax == self.syntax
            ? try cache.pattern(reference, syntax: syntax) : try URLPattern(reference, syntax: syntax)
        let lookup = VariableLookup(first: arguments?.path ?? [:], second: arguments?.reserved ?? [:])
        let encoder = arguments?.encoder ?? encoder
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
            return
        }
        // Only now is it worth knowing which variable wrote what.
        expansion.output = []
        expansion.contributions = []
        try expansion.append(pattern.parts)
        for contribution in expansion.contributions ?? [] {
            // A segment of dots cannot be empty, so touching it at its edge is being part of the next one.
            if dots.ranges.contains(where: { $0.overlaps(contribution.range) }) {
                throw URLBuilderError(.climbsOut(reference: reference, variable: contribution.name))
            }
        }
    }

    /// Refuses a URL with a host that is on another origin than a base that holds.
    private func hold(_ target: Target, _ arguments: URLArguments?) throws(URLBuilderError) {
        guard (arguments?.leavesOrigin ?? leavesOrigin) == .refused, let base,
            let home = Origin(scheme: base.scheme, authority: base.authority)
        else { return }
        let origin = Origin(scheme: target.scheme, authority: target.authority)
        guard origin != home else { return }
        let shown = origin.map { "\($0)" } ?? Redaction.standard.authority(target.authority ?? "")
        throw URLBuilderError(.leavesOrigin(to: shown, base: home))
    }

    /// Puts a relative reference under the base.
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

/// A kind of reference, by what it needs before it is joined.
private enum ReferenceKind {
    /// Nothing.
    case plain
    /// Percent-encoding.
    case literal
    /// Parsing: it has variables, or braces that may be meant as such.
    case template

    init(of reference: String, syntax: URLVariableSyntax) {
        var reference = reference
        self = reference.withUTF8 { bytes in
            var isPlain = true
            for index in bytes.indices {
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
