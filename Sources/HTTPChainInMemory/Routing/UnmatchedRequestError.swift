public import HTTPChainCore
package import HTTPTypes

/// A route that didn't match a request, and how it differs.
package struct NearMiss: Sendable, Hashable {
    /// The route, as method and pattern.
    package let route: String
    /// The differences, one sentence each.
    package let differences: [String]
}

/// An error for a request without a reply: no scripted reply is left and no route matches.
public struct UnmatchedRequestError: ExplainedError {
    /// The request's method.
    package let method: HTTPRequest.Method
    /// The request's URL, with secrets redacted.
    package let url: String
    /// All routes with their differences, nearest first.
    package let nearMisses: [NearMiss]
    /// The number of scripted replies, all of which were used.
    package let usedReplies: Int
    /// The transport's name.
    package let failedStage: String
    /// The request, with secrets redacted.
    package let failedExchange: ExchangeSnapshot?

    private static let shownMisses = 12

    init(_ request: HTTPRequest, routes: [Route], usedReplies: Int, stage: String, redaction: Redaction) {
        var target = RouteTarget(request)
        let exchange = ExchangeSnapshot(request, redaction: redaction)
        // Hides the path, because the apparent path of the URL may be the rest of a password.
        target.isPathHidden = exchange.url.utf8.contains("\(Redaction.placeholder)@".utf8)
        method = request.method
        url = exchange.url
        // Routes are searched from last to first. Of equally near routes, the later one therefore comes first.
        nearMisses = routes.reversed().map { $0.nearMiss(for: request.method, target) }.enumerated()
            .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
            .map(\.element.0)
        self.usedReplies = usedReplies
        failedStage = stage
        failedExchange = exchange
    }

    package var explanation: Explanation {
        Explanation(
            "no route or reply for \(method) \(url)",
            "add a route with on(_:_:) or a reply with enqueue(_:)"
        )
    }

    /// The request, a suggestion, and the routes with their differences, nearest first.
    public var description: String {
        var text = explanation.text(of: stage)
        if usedReplies > 0 {
            text +=
                usedReplies == 1
                ? "; the enqueued reply has been used" : "; the \(usedReplies) enqueued replies have been used"
        }
        guard !nearMisses.isEmpty else { return text + "; there are no routes" }
        let rows = nearMisses.prefix(Self.shownMisses).map { [$0.route, $0.differences.joined(separator: "; ")] }
        let table = TextTable.format([["route, nearest first", "what differs"]] + rows)
        text += "\n  " + table.pieces(at: "\n").joined(separator: "\n  ")
        let hidden = nearMisses.count - rows.count
        if hidden > 0 { text += "\n  and \(hidden) more" }
        return text
    }
}

/// An error for expected replies and routes of an in-memory transport that weren't used.
public struct UnusedRepliesError: ExplainedError, Hashable {
    /// The replies and routes that were unused or not used often enough, one sentence each.
    package let unused: [String]
    /// The transport's name.
    package let failedStage: String

    package var explanation: Explanation {
        Explanation(
            "some scripted replies were not used:\n  " + unused.joined(separator: "\n  "),
            "send the requests that should use them, or remove them"
        )
    }
}
