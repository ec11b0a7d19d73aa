import HTTPChainURLBuilder

/// A typical template with three variables: expanded, and joined with a base as the stage does it.
public enum URLTemplateScenarios {
    private static let template = "users/{user}/repos/{repo}{?page}"

    private static func variables(_ number: Int) -> URLParameters {
        ["user": "ada lovelace", "repo": "engine", "page": number]
    }

    /// RFC 6570 alone, the template parsed beforehand.
    public static func expanding(named name: String) throws -> Scenario {
        let template = try URITemplate(template)
        return Scenario(name: name) { count in
            for number in 0..<count {
                guard try !template.expand(variables(number)).isEmpty else { throw EmptyURL() }
            }
        }
    }

    /// The whole of it: the template looked up, expanded, joined with the base and checked.
    public static func building(named name: String) throws -> Scenario {
        let builder = try URLBuilder(base: "https://api.example.com/v2?lang=en")
        return Scenario(name: name) { count in
            for number in 0..<count {
                let url = try builder.url(template, URLArguments(path: variables(number)))
                guard !url.isEmpty else { throw EmptyURL() }
            }
        }
    }

    private struct EmptyURL: Error {}
}
