import HTTPChainCore
import HTTPTypes

/// A cache of the origins of a stage's requests, with the credentials admitted to each.
///
/// Most requests go to a few origins, and comparing two strings costs less than parsing them.
final class OriginBindings: Sendable {
    /// Limited, because requests may go to any number of origins.
    private static let capacity = 8

    private let seen = Locked<[OriginBinding]>([])
    private let admits: @Sendable (Origin) -> [Bool]

    /// Makes an empty cache.
    ///
    /// - Parameter admits: A closure that returns which of the stage's credentials may be sent to an origin.
    init(admits: @escaping @Sendable (Origin) -> [Bool] = { _ in [] }) {
        self.admits = admits
    }

    /// Returns the binding for a request's origin, or `nil` if it has none or its `Host` field names another.
    func binding(for request: borrowing Request) -> OriginBinding? {
        guard let scheme = request.head.scheme, let authority = request.head.authority,
            !request.head.namesAnotherHost
        else { return nil }
        return seen.withLock { seen in
            for binding in seen where binding.authority == authority && binding.scheme == scheme { return binding }
            guard let origin = Origin(scheme: scheme, authority: authority) else { return nil }
            let binding = OriginBinding(origin, scheme: scheme, authority: authority, admitted: admits(origin))
            if seen.count >= Self.capacity { seen.removeFirst() }
            seen.append(binding)
            return binding
        }
    }
}

/// An origin with the credentials admitted to it; it is shared, so that it adds no cost per call.
final class OriginBinding: Sendable {
    let origin: Origin
    /// The scheme as in the URL.
    let scheme: String
    /// The authority as in the URL.
    let authority: String
    /// Whether each of the stage's credentials may be sent there.
    let admitted: [Bool]
    /// The ``OriginBoundFieldsNote`` value that binds only `Authorization` to this origin.
    let bound: PreparedOption

    init(_ origin: Origin, scheme: String, authority: String, admitted: [Bool]) {
        self.origin = origin
        self.scheme = scheme
        self.authority = authority
        self.admitted = admitted
        bound = PreparedOption(OriginBoundFieldsNote.self, [.authorization: origin])
    }
}

extension Response {
    /// Returns the response's origin if it differs from the given one, as far as the transport reports it.
    func origin(otherThan origin: Origin) -> Origin? {
        guard let sent = request, let answering = Origin(scheme: sent.scheme, authority: sent.authority),
            answering != origin
        else { return nil }
        return answering
    }
}

extension OriginSet {
    /// Whether a secret may be sent to an origin.
    ///
    /// The set must name the origin; ``any`` isn't enough.
    func admits(_ origin: Origin, allowsPlaintext: Bool) -> Bool {
        origins.contains(origin) && (allowsPlaintext || origin.isConfidential)
    }

    /// Returns problems with the origins of a secret, for ``HTTPChainCore/Middleware/problems(at:)``.
    func problems(of stage: String, sending what: String, allowsPlaintext: Bool) -> [ChainProblem] {
        var problems = problems(of: stage)
        if !allowsPlaintext { problems += plaintextProblems(of: stage, sending: what) }
        if isAny {
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
