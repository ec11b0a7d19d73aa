public import HTTPChainCore
import HTTPTypes

/// A route of an in-memory transport, with its number of uses.
struct Route: Sendable {
    enum Answer: Sendable {
        case handler(InMemoryTransport.Handler)
        /// Replies that are used once each, in order; a single reply is used repeatedly.
        case replies([ScriptedReply])
    }

    let method: HTTPRequest.Method?
    let pattern: RoutePattern
    /// The maximum and required number of uses; `nil` for any number.
    let times: Int?
    let isRequired: Bool
    let answer: Answer
    var uses = 0

    var name: String { "\(method?.rawValue ?? "any method") \(Redaction.standard.url(pattern.text))" }

    var isUsedUp: Bool { times.map { uses >= $0 } ?? false }

    /// The number of uses that are still required.
    var missingUses: Int { max(0, (times ?? (isRequired ? 1 : 0)) - uses) }

    func match(_ method: HTTPRequest.Method, _ target: RouteTarget) -> [String: String]? {
        guard !isUsedUp, self.method == nil || self.method == method else { return nil }
        return pattern.match(target)
    }

    func nearMiss(for method: HTTPRequest.Method, _ target: RouteTarget) -> (NearMiss, distance: Double) {
        var (texts, distance) = pattern.differences(from: target)
        if let wanted = self.method, wanted != method {
            texts.insert("method is \(method), the route expects \(wanted)", at: 0)
            distance += 1
        }
        if isUsedUp {
            texts.append("used up: it answered \(uses) of \(times ?? uses) times")
            distance += 0.5
        }
        return (NearMiss(route: name, differences: texts), distance)
    }
}

/// The variables that a route found in a request's path.
package enum RouteVariablesNote: RequestOption, RequestNote {
    /// No variables: no route with variables matched the request.
    package static var defaultValue: [String: String] { [:] }
}

extension Request {
    /// The variables of the matched route, percent-decoded, and the rest of the path under `"*"`.
    ///
    /// They are set in a route's closure.
    public var routeVariables: [String: String] { options[RouteVariablesNote.self] }
}
