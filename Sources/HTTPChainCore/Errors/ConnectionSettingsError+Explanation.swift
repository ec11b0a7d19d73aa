extension ConnectionSettingsError: ExplainedError {
    package var explanation: Explanation {
        switch problem {
        case .unsupported(let setting, let advice):
            Explanation("the transport does not support the setting \(setting) on this platform", advice)
        case .invalid(let setting, let why): Explanation("the setting \(setting) is invalid: \(why)")
        }
    }
}
