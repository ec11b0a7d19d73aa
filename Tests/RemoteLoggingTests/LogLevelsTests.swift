#if AllTests
import HTTPChainRemoteLogging
import Logging
import Testing

@Suite("Levels by component")
struct LogLevelsTests {
    private let levels = LogLevels(.notice, ["http": .debug, "http.client.auth": nil, "database": .error])

    @Test(
        "The longest leading part of a component's name decides",
        arguments: [
            ("http", .debug), ("http.client", .debug), ("http.client.cache", .debug), ("httpd", .notice),
            ("http.client.auth", nil), ("http.client.auth.token", nil), ("http.client.authority", .debug),
            ("database", .error), ("", .notice), ("other", .notice),
        ] as [(String, Logger.Level?)]
    )
    func longest(component: String, level: Logger.Level?) {
        #expect(levels[component] == level)
    }

    @Test("A component that is switched off logs nothing, not even what is critical")
    func off() {
        #expect(!levels.includes(.critical, from: "http.client.auth"))
        #expect(levels.includes(.critical, from: "http.client"))
        #expect(!LogLevels(nil).includes(.critical, from: "any"))
    }
}
#endif
