import HTTPChainURLBuilder

/// A typical template with three variables: expanded, and joined with a base as the stage does it.
public enum URLTemplateScenarios {
    private static let template = "users/{user}/repos/{repo}{?page}"

    private static let variables: URLParameters = ["user": "ada lovelace", "repo": "engine", "page": 2]

    /// RFC 6570 alone, the template parsed beforehand.
    public static func expanding(named name: String) throws -> Scenario {
        let template = try URITemplate(template)
        return Scenario(name: name) { count in
            for _ in 0..<count {
                guard try !template.expand(variables).isEmpty else { throw EmptyURL() }
            }
        }
    }

    /// The whole of it: the template looked up, expanded, joined with the base and checked.
    public static func building(named name: String) throws -> Scenario {
        let builder = try URLBuilder(base: "https://api.example.com/v2?lang=en")
        let arguments = URLArguments(path: variables)
        return Scenario(name: name) { count in
            for _ in 0..<count {
                let url = try builder.url(template, arguments)
                guard !url.isEmpty else { throw EmptyURL() }
            }
        }
    }

    private struct EmptyURL: Error {}
}
