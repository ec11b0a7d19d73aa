#if Macros
import MacroExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = MacroExpansion.macros
}
#else
@main
enum Plugin {
    static func main() {}
}
#endif
