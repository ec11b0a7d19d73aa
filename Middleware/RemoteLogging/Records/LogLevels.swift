import HTTPChainSupport
public import Logging

/// The least severe level that is logged, for each component.
///
/// ```swift
/// var levels = LogLevels(.info, ["http": .debug, "http.auth": nil])
/// levels["database"] = .warning
/// ```
///
/// A component's own entry takes precedence, then that of its nearest parent (the name up to a dot), and then the
/// default. `nil` disables a component.
public struct LogLevels: Sendable, Hashable {
    /// The level of components without an entry.
    ///
    /// If it is `nil`, nothing is logged from them.
    package var `default`: Logger.Level?
    private var entries: [String: Logger.Level?]

    /// Makes levels.
    ///
    /// - Parameters:
    ///   - default: The level of components without an entry; `info` by default.
    ///   - entries: The levels by component. Each also applies to the components below it.
    public init(_ default: Logger.Level? = .info, _ entries: [String: Logger.Level?] = [:]) {
        self.default = `default`
        self.entries = entries
    }

    /// The level of a component.
    ///
    /// Setting it adds an entry.
    public subscript(component: String) -> Logger.Level? {
        get {
            if entries.isEmpty { return `default` }
            var name = Substring(component)
            while true {
                if let entry = entries[String(name)] { return entry }
                guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return `default` }
                name = name[..<dot]
            }
        }
        set { entries[component] = .some(newValue) }
    }

    /// Returns whether records of this level from this component are logged.
    package func includes(_ level: Logger.Level, from component: String) -> Bool {
        guard let least = self[component] else { return false }
        return level >= least
    }
}
