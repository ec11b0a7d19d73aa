public import HTTPChainCore
package import HTTPTypes

/// The error for a request without a recorded response.
public struct UnmatchedReplayError: ExplainedError {
    /// The request's method.
    package let method: HTTPRequest.Method
    /// The request's URL, with secrets redacted.
    package let url: String
    /// The nearest entries with their differences, nearest first.
    package let nearest: [NearEntry]
    /// The number of entries.
    package let entryCount: Int
    /// Always "ReplayTransport".
    package let failedStage: String
    /// The request, with secrets redacted.
    package let failedExchange: ExchangeSnapshot?

    package var explanation: Explanation {
        Explanation(
            "no recorded entry matches \(method) \(url)",
            "record it (mode .new), or loosen ReplayMatching if it is one of the recorded ones"
        )
    }

    /// The request, advice, and the nearest entries with their differences.
    public var description: String {
        var text = "\(stage): \(reason); \(recoverySuggestion ?? "")"
        if nearest.isEmpty { return text + "; the archive has no entries" }
        text += "\nThe nearest of \(entryCount) \(entryCount == 1 ? "entry" : "entries"):"
        for entry in nearest { text += "\n\(entry)" }
        return text
    }
}

/// The error for a replay that was finished with unused entries.
public struct UnusedEntriesError: ExplainedError, Hashable {
    /// The number, method and URL of each unused entry, with secrets redacted.
    public let unused: [String]
    /// Always "ReplayTransport".
    package let failedStage: String

    package var explanation: Explanation {
        Explanation(
            "some recorded entries were not requested:\n  " + unused.joined(separator: "\n  "),
            "send the missing requests, or record again with the mode .update"
        )
    }
}
