public import HTTPChainCore
public import HTTPTypes

/// A replay has no answer for a request.
public struct UnmatchedReplayError: HTTPChainError {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The request's URL, secrets redacted.
    public let url: String
    /// The entries that come nearest, with what differs, the nearest first.
    public let nearest: [NearEntry]
    /// The number of entries.
    public let entryCount: Int
    /// "ReplayTransport".
    public let stage: String
    /// The request, secrets redacted.
    public let exchange: ExchangeSnapshot?

    /// The request that nothing answers.
    public var reason: String { "no recorded entry answers \(method) \(url)" }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        "record it (mode .new), or loosen ReplayMatching if it is one of the recorded ones"
    }

    /// The request, what to do, and the nearest entries with what differs.
    public var description: String {
        var text = "\(stage): \(reason); \(recoverySuggestion ?? "")"
        if nearest.isEmpty { return text + "; the archive has no entries" }
        text += "\nThe nearest of \(entryCount) \(entryCount == 1 ? "entry" : "entries"):"
        for entry in nearest { text += "\n\(entry)" }
        return text
    }
}

/// A replay is over, and not every entry was asked for.
public struct UnusedEntriesError: HTTPChainError, Hashable {
    /// The entries that did not answer: number, method and URL, secrets redacted.
    public let unused: [String]
    /// "ReplayTransport".
    public let stage: String

    /// The sentence that names the entries that were not used.
    public var reason: String {
        "not every recorded entry was asked for:\n  " + unused.joined(separator: "\n  ")
    }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? { "send what is missing, or record again with the mode .update" }
}
