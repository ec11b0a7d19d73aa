/// Values of variables, by name, as text.
package protocol VariableTexts: Sendable {
    /// Returns the text of a variable's value; `nil` if it has none.
    func text(of variable: String) -> String?
}

/// The values of a typed call's path variables, for stages that use them outside the URL.
package enum CallVariablesNote: RequestNote {
    /// No variables.
    package static var defaultValue: (any VariableTexts)? { nil }
}
