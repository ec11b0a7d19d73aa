#if Macros
import MacroExpansion
import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [ServiceMacro.self, AnnotationMacro.self]
}

/// The macro `@Service`, which generates a client and a mock of a protocol.
struct ServiceMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let expansion = ServiceExpansion(of: node, on: declaration)
        for mistake in expansion.mistakes { context.diagnose(mistake.diagnostic) }
        return expansion.declarations.map { DeclSyntax(stringLiteral: $0) }
    }
}

/// An annotation of a method, which `@Service` reads.
///
/// It has no expansion itself.
struct AnnotationMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}
#else
@main
enum Plugin {
    static func main() {}
}
#endif
