#if Macros
package import SwiftSyntaxMacros

package enum MacroExpansion {
    package static let macros: [any Macro.Type] = []
}
#endif
