/// A stage that lets calls share a response.
///
/// Outer stages that separate users check whether it also separates them.
package protocol SharingMiddleware: Middleware {
    /// The rule by which it separates users.
    var userPartition: UserPartition { get }
}

extension UserPartition {
    /// Returns the problem of a stage that would share one user's data with another.
    ///
    /// - Parameters:
    ///   - place: The stage's place.
    ///   - stage: The stage's name.
    ///   - question: The question that the stage can't answer, such as "whose responses it stores".
    package func problems(at place: ChainPlace, of stage: String, _ question: String) -> [ChainProblem] {
        guard !seesUsers, !isShared,
            let inner = (place.inside + place.nested).first(where: { $0.phase == .authenticate })
        else { return [] }
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
