extension Error {
    /// The error and its causes, outermost first; at most 32, which is more than a chain has stages that wrap errors.
    package var causes: [any Error] {
        var causes: [any Error] = [self]
        while causes.count < 32, let cause = (causes.last as? any HTTPChainError)?.underlyingError {
            causes.append(cause)
        }
        return causes
    }
}
