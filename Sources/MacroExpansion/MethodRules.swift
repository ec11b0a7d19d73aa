#if Macros
import SwiftSyntax

/// The rules for one method of a service.
struct MethodRules {
    let method: MethodModel
    private(set) var mistakes: [Mistake] = []

    init(_ method: MethodModel) {
        self.method = method
        checkShape()
        checkVerb()
        checkPath()
        checkRoles()
        checkUse()
        checkNames()
        checkDefaults()
        checkResult()
        checkDecoding()
        checkContent()
        checkHeaders()
        checkCache()
        mistakes += method.annotations.filter { !$0.isInherited }.repetitions
    }

    mutating func add(_ text: String, at node: some SyntaxProtocol, _ fixes: Mistake.Fix...) {
        mistakes.append(Mistake(text, at: node, fixes: fixes))
    }

    mutating func add(_ mistake: Mistake) { mistakes.append(mistake) }
}
#endif
