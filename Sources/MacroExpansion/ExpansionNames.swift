#if Macros
/// The names in an expansion; they don't conflict with names in the declaration.
struct ExpansionNames {
    private let taken: Set<String>

    init(besides taken: Set<String>) {
        self.taken = taken
    }

    var client: String { qualified("Client") }
    var call: String { qualified("Call") }
    var request: String { qualified("Request") }
    var calls: String { taken.contains("Calls") ? "UnsentCalls" : "Calls" }
    var fields: String { taken.contains("Fields") ? "FormFields" : "Fields" }

    /// Returns the name of a method's request type.
    func request(of method: String) -> String {
        let begin = method.prefix(1).uppercased() + method.dropFirst()
        return taken.contains(begin + "Request") ? begin + "CallRequest" : begin + "Request"
    }

    private func qualified(_ name: String) -> String { taken.contains(name) ? "HTTPChainMacros.\(name)" : name }
}
#endif
