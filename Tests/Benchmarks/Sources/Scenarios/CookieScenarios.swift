import HTTPChainCookies
import HTTPChainCore
import HTTPTypes

/// What it costs to find the cookies of a request, and to pass the stage without any.
public enum CookieScenarios {
    /// The chain without the stage.
    public static let baseline = "cookies.none"

    /// The baseline, and the stage with a jar that is empty.
    public static func stages() throws -> [Scenario] {
        [try call(baseline, []), try call("cookies.empty", [CookieMiddleware()])]
    }

    /// A jar with cookies of one site, ten for the request among them, and with so many of other sites beside them.
    ///
    /// - Parameters:
    ///   - name: The scenario's name.
    ///   - others: How many cookies of other sites.
    public static func selection(_ name: String, others: Int) async throws -> Scenario {
        let jar = CookieJar()
        var cookies = (0..<10).map { index in
            Cookie(
                "own\(index)",
                Secret("value-of-\(index)"),
                domain: "www.example.com",
                path: index % 2 == 0 ? "/" : "/app"
            )
        }
        // Of other sites ten each, some for all hosts below.
        cookies += (0..<others).map { index in
            Cookie("c\(index % 10)", "value", domain: "www.site\(index / 10).example", isHostOnly: index % 3 != 0)
        }
        try await jar.set(cookies)
        return Scenario(name: name) { [jar] count in
            for _ in 0..<count {
                guard await jar.cookies(for: "https://www.example.com/app/page").count == 10 else {
                    throw WrongSelection()
                }
            }
        }
    }

    /// A call with a jar that has 3,000 cookies, ten of them for it.
    public static func call(_ name: String, others: Int) async throws -> Scenario {
        let jar = CookieJar()
        var cookies = (0..<10).map { Cookie("own\($0)", "value", domain: "example.com", isHostOnly: false) }
        cookies += (0..<others).map { Cookie("c\($0 % 10)", "value", domain: "www.site\($0 / 10).example") }
        try await jar.set(cookies)
        return try call(name, [CookieMiddleware(jar)])
    }

    private static func call(_ name: String, _ stages: [any Middleware]) throws -> Scenario {
        let chain = try Chain(stages, transport: CannedTransport())
        let template = ChainScenarios.request()
        return Scenario(name: name) { [template] count in
            for _ in 0..<count { _ = try await chain.send(template) }
        }
    }
}

/// A jar did not give the cookies that it has.
public struct WrongSelection: Error {}
