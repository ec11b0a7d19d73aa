import HTTPChainCookies
import HTTPChainCore
import HTTPTypes

/// What it costs to find the cookies of a request, and to pass the stage without any.
public enum CookieScenarios {
    /// The chain without the stage.
    public static let baseline = "cookies.none"

    /// The baseline, the stage with a jar that is empty, and with one that has 3,000 cookies of other sites.
    public static func stages() async throws -> [Scenario] {
        let others = CookieJar()
        try await others.set(cookiesOfOthers(3_000))
        return [
            try call(baseline, []), try call("cookies.empty", [CookieMiddleware()]),
            try call("cookies.others", [CookieMiddleware(others)]),
        ]
    }

    /// How long the first question to the public suffix list takes, which has whatever it takes to load it.
    ///
    /// It is the first in the process only where nothing has asked before.
    public static func firstSuffix() throws -> Duration {
        let start = ContinuousClock.now
        let answers = (
            PublicSuffixList.registrableDomain(of: "www.example.co.uk"), PublicSuffixList.isPublicSuffix("co.uk")
        )
        let time = start.duration(to: .now)
        guard answers == ("example.co.uk", true) else { throw WrongSelection() }
        return time
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
        cookies += cookiesOfOthers(others)
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
        cookies += cookiesOfOthers(others)
        try await jar.set(cookies)
        return try call(name, [CookieMiddleware(jar)])
    }

    /// Of other sites ten each, some for all hosts below.
    private static func cookiesOfOthers(_ count: Int) -> [Cookie] {
        (0..<count).map { index in
            Cookie("c\(index % 10)", "value", domain: "www.site\(index / 10).example", isHostOnly: index % 3 != 0)
        }
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
