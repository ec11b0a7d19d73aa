import HTTPChainCore
import HTTPTypes

/// The origins that the requests of a stage go to, and what it knows of each.
///
/// Most requests go to a few origins, again and again: comparing two texts costs less than reading them.
final class OriginBindings: Sendable {
    /// Requests may go to any number of origins.
    private static let capacity = 8

    private let seen = Locked<[OriginBinding]>([])
    private let admits: @Sendable (Origin) -> [Bool]

    /// Makes an empty memory.
    ///
    /// - Parameter admits: Which of the stage's credentials may go to an origin.
    init(admits: @escaping @Sendable (Origin) -> [Bool] = { _ in [] }) {
        self.admits = admits
    }

    /// The binding for the origin that a request goes to; `nil` when it has none, or a `Host` field that names another.
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

/// One origin, and what may be sent to it; shared, so that a call takes it along at no cost.
final class OriginBinding: Sendable {
    let origin: Origin
    /// As the URL has it.
    let scheme: String
    /// As the URL has it.
    let authority: String
    /// Which of the stage's credentials may go there.
    let admitted: [Bool]
    /// The value of ``OriginBoundFields`` for a request whose `Authorization` belongs there, and nothing else.
    let bound: PreparedOption

    init(_ origin: Origin, scheme: String, authority: String, admitted: [Bool]) {
        self.origin = origin
        self.scheme = scheme
        self.authority = authority
        self.admitted = admitted
        bound = PreparedOption(OriginBoundFields.self, [.authorization: origin])
    }
}

extension Response {
    /// Where the response came from, if that was another origin than the one given, as far as the transport says.
    func origin(otherThan origin: Origin) -> Origin? {
        guard let sent = request, let answering = Origin(scheme: sent.scheme, authority: sent.authority),
            answering != origin
        else { return nil }
        return answering
    }
}

extension OriginSet {
    /// Whether a secret may be sent to an origin, which has to be named: ``any`` names none.
    func admits(_ origin: Origin, allowsPlaintext: Bool) -> Bool {
        origins.contains(origin) && (allowsPlaintext || origin.isConfidential)
    }

    /// Returns the problems with a set that a secret of one kind is bound to, for
    /// ``HTTPChainCore/Middleware/problems(at:)``.
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
