public import HTTPChainCore
public import HTTPTypes

/// A route that didn't match a request, with the differences.
public struct NearMiss: Sendable, Hashable {
    /// The route, as method and pattern.
    public let route: String
    /// The differences, one sentence each.
    public let differences: [String]
}

/// An error for a request without a reply: no scripted reply is left and no route matches.
public struct UnmatchedRequestError: HTTPChainError {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The request's URL, with secrets redacted.
    public let url: String
    /// Every route with its differences, the nearest first.
    package let nearMisses: [NearMiss]
    /// The number of scripted replies, which were all used.
    package let usedReplies: Int
    /// The transport's name.
    public let stage: String
    /// The request, with secrets redacted.
    public let exchange: ExchangeSnapshot?

    private static let shownMisses = 12

    init(_ request: HTTPRequest, routes: [Route], usedReplies: Int, stage: String, redaction: Redaction) {
        var target = RouteTarget(request)
        let exchange = ExchangeSnapshot(request, redaction: redaction)
        // The URL's apparent path may be the rest of a password.
        target.isPathHidden = exchange.url.utf8.contains("\(Redaction.placeholder)@".utf8)
        method = request.method
        url = exchange.url
        // Routes are searched from last to first, so of equally near routes the later one comes first.
        nearMisses = routes.reversed().map { $0.nearMiss(for: request.method, target) }.enumerated()
            .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
            .map(\.element.0)
        self.usedReplies = usedReplies
        self.stage = stage
        self.exchange = exchange
    }

    /// A sentence with the request.
    public var reason: String { "no route or reply for \(method) \(url)" }

    /// Advice to add a route or a reply.
    public var recoverySuggestion: String? { "add a route with on(_:_:) or a reply with enqueue(_:)" }

    /// The request, a suggestion, and the routes with their differences, nearest first.
    public var description: String {
        var text = Explanation(reason, recoverySuggestion).text(of: stage)
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
public struct UnusedRepliesError: HTTPChainError, Hashable {
    /// The replies and routes that were unused or not used often enough, one sentence each.
    public let unused: [String]
    /// The transport's name.
    public let stage: String

    /// A list of everything unused.
    public var reason: String { "some scripted replies were not used:\n  " + unused.joined(separator: "\n  ") }

    /// A suggested fix.
    public var recoverySuggestion: String? { "send the requests that should use them, or remove them" }
}
