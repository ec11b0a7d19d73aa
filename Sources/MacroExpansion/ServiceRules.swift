#if Macros
import SwiftSyntax

/// The rules for annotations on the service itself.
struct ServiceRules {
    private(set) var mistakes: [Mistake] = []

    init(_ model: ServiceModel) {
        for annotation in model.annotations where Annotation.forMethods.contains(annotation.name) {
            let fix = Mistake.Fix("remove it", annotation.node, "")
            mistakes.append(Mistake("@\(annotation.name) stands on a method", at: annotation.node, fix))
        }
        mistakes += model.annotations.repetitions
    }
}

extension [Annotation] {
    /// The mistakes for annotations that are repeated on the service.
    var repetitions: [Mistake] {
        var mistakes: [Mistake] = []
        func add(_ text: String, at annotation: Annotation) {
            let fix = Mistake.Fix("remove this one", annotation.node, "")
            mistakes.append(Mistake(text, at: annotation.node, fix))
        }
        let repeatable = Annotation.additive.union(Annotation.roles).union(["Default"])
            .subtracting(["Progress", "OData"])
        var seen: Set<String> = []
        for annotation in self
        where !repeatable.contains(annotation.name) && !Annotation.verbs.contains(annotation.name)
            && Annotation.shared.union(Annotation.forMethods).contains(annotation.name)
        {
            // A service may both replace the statuses and add some.
            let label = annotation.name == "Statuses" ? annotation.arguments.first?.label?.text : nil
            if !seen.insert(annotation.aspect + (label ?? "")).inserted {
                add("@\(annotation.name) stands here twice", at: annotation)
            }
        }
        return mistakes
    }
}
#endif
