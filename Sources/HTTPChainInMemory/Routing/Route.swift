public import HTTPChainCore
import HTTPTypes

/// A route of an in-memory transport and how often it was used.
struct Route: Sendable {
    enum Answer: Sendable {
        case handler(InMemoryTransport.Handler)
        /// Each once, in order, or the only one again and again.
        case replies([ScriptedReply])
    }

    let method: HTTPRequest.Method?
    let pattern: RoutePattern
    /// How often it answers at most, and has to; `nil` for any number.
    let times: Int?
    let isRequired: Bool
    let answer: Answer
    var uses = 0

    var name: String { "\(method?.rawValue ?? "any method") \(Redaction.standard.url(pattern.text))" }

    var isUsedUp: Bool { times.map { uses >= $0 } ?? false }

    /// How often it has yet to be used.
    var missingUses: Int { max(0, (times ?? (isRequired ? 1 : 0)) - uses) }

    func match(_ method: HTTPRequest.Method, _ target: RouteTarget) -> [String: String]? {
        guard !isUsedUp, self.method == nil || self.method == method else { return nil }
        return pattern.match(target)
    }

    func nearMiss(for method: HTTPRequest.Method, _ target: RouteTarget) -> (NearMiss, distance: Double) {
        var (texts, distance) = pattern.differences(from: target)
        if let wanted = self.method, wanted != method {
            texts.insert("method is \(method), the route wants \(wanted)", at: 0)
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
public enum RouteVariables: RequestOption {
    /// None: the request was not matched by a route with variables.
    public static var defaultValue: [String: String] { [:] }
}

extension Request {
    /// In a route's closure: the variables of its pattern, percent-decoded, and the rest of the path under `"*"`.
    public var routeVariables: [String: String] { options[RouteVariables.self] }
}
