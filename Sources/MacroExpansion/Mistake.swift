#if Macros
package import SwiftDiagnostics
package import SwiftSyntax

/// A mistake in a declaration, with its location and possible fixes.
package struct Mistake {
    /// A source change that fixes a mistake.
    package struct Fix {
        package var title: String
        package var node: Syntax
        package var replacement: String

        init(_ title: String, _ node: some SyntaxProtocol, _ replacement: String) {
            self.title = title
            self.node = Syntax(node)
            self.replacement = replacement
        }
    }

    package var text: String
    package var node: Syntax
    package var fixes: [Fix]

    init(_ text: String, at node: some SyntaxProtocol, _ fixes: Fix...) {
        self.init(text, at: node, fixes: fixes)
    }

    init(_ text: String, at node: some SyntaxProtocol, fixes: [Fix]) {
        self.text = text
        self.node = Syntax(node)
        self.fixes = fixes
    }

    /// The mistake as a compiler diagnostic.
    package var diagnostic: Diagnostic {
        Diagnostic(
            node: node,
            message: Message(message: text),
            fixIts: fixes.map { fix in
                let token = TokenSyntax(
                    .identifier(fix.replacement),
                    leadingTrivia: fix.node.leadingTrivia,
                    trailingTrivia: fix.node.trailingTrivia,
                    presence: .present
                )
                return FixIt(
                    message: FixMessage(message: fix.title),
                    changes: [.replace(oldNode: fix.node, newNode: Syntax(token))]
                )
            }
        )
    }
}

private struct Message: DiagnosticMessage {
    let message: String
    let severity = DiagnosticSeverity.error
    var diagnosticID: MessageID { MessageID(domain: "HTTPChainMacros", id: "mistake") }
}

private struct FixMessage: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "HTTPChainMacros", id: "fix") }
}
#endif
