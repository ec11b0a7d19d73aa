public import HTTPChainCore
public import HTTPTypes

/// The error for a request without a recorded response.
public struct UnmatchedReplayError: HTTPChainError {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The request's URL, with secrets redacted.
    public let url: String
    /// The nearest entries with their differences, nearest first.
    package let nearest: [NearEntry]
    /// The number of entries.
    package let entryCount: Int
    /// "ReplayTransport".
    public let stage: String
    /// The request, with secrets redacted.
    public let exchange: ExchangeSnapshot?

    /// The request without a recorded response.
    public var reason: String { "no recorded entry matches \(method) \(url)" }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        "record it (mode .new), or loosen ReplayMatching if it is one of the recorded ones"
    }

    /// The request, the advice, and the nearest entries with their differences.
    public var description: String {
        var text = "\(stage): \(reason); \(recoverySuggestion ?? "")"
        if nearest.isEmpty { return text + "; the archive has no entries" }
        text += "\nThe nearest of \(entryCount) \(entryCount == 1 ? "entry" : "entries"):"
        for entry in nearest { text += "\n\(entry)" }
        return text
    }
}

/// The error for a finished replay with unused entries.
public struct UnusedEntriesError: HTTPChainError, Hashable {
    /// The unused entries: number, method and URL, with secrets redacted.
    public let unused: [String]
    /// "ReplayTransport".
    public let stage: String

    /// The description with the unused entries.
    public var reason: String {
        "some recorded entries were not requested:\n  " + unused.joined(separator: "\n  ")
    }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? { "send the missing requests, or record again with the mode .update" }
}
