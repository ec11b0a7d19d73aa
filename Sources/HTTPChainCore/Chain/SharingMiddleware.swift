/// A stage that lets calls share a response, such as a cache.
///
/// Outer stages that separate users check whether this one does, too.
package protocol SharingMiddleware: Middleware {
    /// The rule by which the stage separates users.
    var userPartition: UserPartition { get }
}

extension UserPartition {
    /// Whether the stage may treat several users as one, although the application hasn't said that this is right.
    package var mayMixUsers: Bool { !seesUsers && !isShared }

    /// Returns the problem of a stage that would share one user's data with another.
    ///
    /// - Parameters:
    ///   - place: The stage's place.
    ///   - stage: The stage's name.
    ///   - question: The question that the stage can't answer, such as "whose responses it stores".
    package func problems(at place: ChainPlace, of stage: String, _ question: String) -> [ChainProblem] {
        guard mayMixUsers, let inner = place.identifyingStage else { return [] }
        return [
            ChainProblem(
                stage: stage,
                problem: "\(stage) is outside \(inner.summary.name) and cannot tell \(question)",
                fix: "give it partition: .by { … } with the user's name, or partition: .shared if all callers are one "
                    + "user"
            )
        ]
    }
}

extension ChainPlace {
    /// The first inner stage that sends requests in a user's name; nil if there is none.
    ///
    /// A user's own stage of the phase ``Phase/authenticate`` counts as one.
    package var identifyingStage: (any Middleware)? { (inside + nested).first(where: \.mayAddIdentity) }
}

extension Transport {
    /// The first stage that sends requests in a user's name, in the chain and those nested in it; nil if there is none.
    package var identifyingStage: (any Middleware)? {
        Chain.stages(in: self).first(where: \.mayAddIdentity)
    }
}

extension Middleware {
    /// Whether the stage may send requests in a user's name.
    fileprivate var mayAddIdentity: Bool {
        (self as? any IdentifyingMiddleware)?.addsIdentity ?? (phase == .authenticate)
    }
}
