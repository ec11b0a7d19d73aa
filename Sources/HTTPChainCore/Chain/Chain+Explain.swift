import HTTPTypes

extension Chain {
    /// Returns the chain as a table: the order, phase, purpose and settings of the stages, and the transport with its
    /// capabilities.
    ///
    /// The ``warnings`` follow the table.
    ///
    /// Secrets are redacted according to the chain's environment.
    public func explain() -> String {
        let redaction = defaultEnvironment?.redaction ?? .standard
        var rows = [["", "phase", "stage", "what it does", "settings"]]
        for (index, stage) in stages.enumerated() {
            let summary = stage.summary
            rows.append([
                "\(index + 1)", stage.phase.name, summary.name, summary.purpose,
                summary.settings.map { "\($0.name): \(redaction.value(of: $0))" }.joined(separator: "; "),
            ])
        }
        rows.append(["→", "", transport.name, "transport", "\(transport.capabilities)"])
        return ([TextTable.format(rows)] + warnings.map { "warning: \($0)" }).joined(separator: "\n")
    }
}

extension Chain: CustomStringConvertible {
    /// The chain as a table: ``explain()``.
    public var description: String { explain() }
}

extension StageSummary: CustomStringConvertible {
    /// The stage on one line: "RetryMiddleware: retries temporary failures (attempts: 3)".
    public var description: String {
        let settings = settings.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
        return name + (purpose.isEmpty ? "" : ": \(purpose)") + (settings.isEmpty ? "" : " (\(settings))")
    }
}

extension Redaction {
    /// Returns a setting's value, redacted if it has the name of a field that only this chain treats as secret.
    fileprivate func value(of setting: StageSummary.Setting) -> String {
        if let name = HTTPField.Name(setting.name), isSecret(name), !Redaction.standard.isSecret(name) {
            return Self.placeholder
        }
        return text(setting.value)
    }
}
