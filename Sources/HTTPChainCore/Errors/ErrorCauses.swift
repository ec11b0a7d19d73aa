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

/// The limit for following the causes of an error.
enum Causes {
    /// The maximum number of errors.
    ///
    /// It is higher than the number of wrapping stages in a chain, and ends the loop if an error is its own cause.
    static let limit = 32
    /// The number of outer errors whose descriptions contain the one that is being made.
    @TaskLocal static var described = 0
}
