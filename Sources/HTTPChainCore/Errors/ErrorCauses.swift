extension Error {
    /// The error and its causes, outermost first; at most 32.
    package var causes: [any Error] {
        var causes: [any Error] = [self]
        while causes.count < Causes.limit, let cause = (causes.last as? any HTTPChainError)?.underlyingError {
            causes.append(cause)
        }
        return causes
    }
}

/// The limit of errors that are read as the causes of another.
enum Causes {
    /// More than a chain has stages that wrap errors, and a bound for an error that is its own cause.
    static let limit = 32
    /// The number of causes whose descriptions surround the one that is being made.
    @TaskLocal static var described = 0
}
