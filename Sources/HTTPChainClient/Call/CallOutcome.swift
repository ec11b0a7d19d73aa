import HTTPChainCore

/// The outcome of a call.
public enum CallOutcome<Output: Sendable>: Sendable {
    /// The call succeeded with an output.
    case success(Output)
    /// The call failed with an error.
    case failure(any Error)
    /// The call was cancelled, or refused because the same call was already running.
    case cancelled(duplicate: Bool)

    /// Converts a result, separating cancellations and duplicates from other errors.
    package init(_ result: Result<Output, any Error>) {
        switch result {
        case .success(let output): self = .success(output)
        case .failure(is CancellationError): self = .cancelled(duplicate: false)
        case .failure(is DuplicateCallError): self = .cancelled(duplicate: true)
        case .failure(let error): self = .failure(error)
        }
    }

    /// The output; `nil` if there is none.
    public var output: Output? { if case .success(let output) = self { output } else { nil } }

    /// The error; `nil` if there is none, and if the call was cancelled.
    public var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }

    /// Whether the call was cancelled or refused as a duplicate.
    package var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    /// Returns the outcome with its output transformed.
    package func map<Other: Sendable>(_ transform: (Output) throws -> Other) -> CallOutcome<Other> {
        switch self {
        case .success(let output): CallOutcome<Other>(Result { try transform(output) })
        case .failure(let error): .failure(error)
        case .cancelled(let duplicate): .cancelled(duplicate: duplicate)
        }
    }
}
