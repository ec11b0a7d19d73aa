import HTTPChainCore
import HTTPTypes

/// The origins of a stage, so prepared that the common request is recognised without taking its URL apart.
struct OriginBindings: Sendable {
    let set: OriginSet
    private let allowed: [OriginBinding]
    private let allowsPlaintext: Bool

    /// Prepares a set of origins.
    ///
    /// - Parameters:
    ///   - set: The origins.
    ///   - allowsPlaintext: Whether those count that are not reached over TLS.
    ///   - fields: The fields that are bound to the origin of each request.
    init(_ set: OriginSet, allowsPlaintext: Bool, fields: [HTTPField.Name] = []) {
        self.set = set
        self.allowsPlaintext = allowsPlaintext
        allowed = set.origins.subtracting(allowsPlaintext ? [] : set.exposed).map { OriginBinding($0, fields: fields) }
    }

    /// The binding for the origin that a request goes to; `nil` when it may not have the secret.
    func binding(for head: HTTPRequest) -> OriginBinding? {
        guard let scheme = head.scheme, let authority = head.authority, !head.namesAnotherHost else { return nil }
        for binding in allowed where binding.authority == authority && binding.origin.scheme == scheme {
            return binding
        }
        guard !Self.isCanonical(scheme, authority) else { return nil }
        let origin = Origin(scheme: scheme, authority: authority)
        return allowed.first { $0.origin == origin }
    }

    /// Whether the origin is written in the one way in which no other text means the same.
    private static func isCanonical(_ scheme: String, _ authority: String) -> Bool {
        (scheme == "https" || scheme == "http")
            && authority.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// What is wrong with the set, for ``HTTPChainCore/Middleware/problems(at:)``.
    func problems(
        of stage: String,
        kind: ObjectIdentifier,
        sending what: String,
        at place: ChainPlace
    ) -> [ChainProblem] {
        var problems = set.problems(of: stage) + AuthenticationMiddleware.redirectProblems(of: stage, at: place)
        if !allowsPlaintext { problems += set.plaintextProblems(of: stage, sending: what) }
        for inner in place.inside {
            guard let other = inner as? any BoundStage, ObjectIdentifier(type(of: other)) == kind,
                other.boundOrigins.overlaps(set)
            else { continue }
            problems.append(
                ChainProblem(
                    stage: stage,
                    problem: "\(stage) and \(inner.summary.name) further in both send \(what) to the same origin, so "
                        + "that only one of them is used",
                    fix: "remove one of them, bind them to different origins, or choose by path with "
                        + "RoutedAuthMiddleware([…])"
                )
            )
        }
        if set.isAny {
            problems.append(
                ChainProblem(
                    stage: stage,
                    problem: "\(stage) would send \(what) to whichever server a request goes to, and sends none",
                    fix: "name the origins that it is for"
                )
            )
        }
        return problems
    }
}

/// One origin, and the fields that are bound to it; shared, so that a call takes it along at no cost.
final class OriginBinding: Sendable {
    let origin: Origin
    /// As a URL has it that names no default port.
    let authority: String
    private let owners: OriginBoundFields.Value
    private let bound: PreparedOption

    init(_ origin: Origin, fields: [HTTPField.Name]) {
        self.origin = origin
        authority = String(origin.description.dropFirst(origin.scheme.utf8.count + 3))
        owners = Dictionary(fields.map { ($0, origin) }, uniquingKeysWith: { first, _ in first })
        bound = PreparedOption(OriginBoundFields.self, owners)
    }

    /// Where a response came from, if that was another origin, as far as the transport says.
    func strangeOrigin(of response: Response) -> Origin? {
        guard let sent = response.request, let origin = Origin(scheme: sent.scheme, authority: sent.authority),
            origin != self.origin
        else { return nil }
        return origin
    }

    /// Declares that the fields belong to the origin.
    func bind(_ request: inout Request) {
        if request.options.contains(OriginBoundFields.self) {
            request.options[OriginBoundFields.self].merge(owners) { _, ours in ours }
        } else {
            request.options.set(bound)
        }
        for name in owners.keys { request.head.headerFields.markAsSecret(name) }
    }
}

/// A stage that adds the same credentials to each request for its origins; two of one type in a chain are a mistake.
protocol BoundStage: Middleware {
    var boundOrigins: OriginSet { get }
}
