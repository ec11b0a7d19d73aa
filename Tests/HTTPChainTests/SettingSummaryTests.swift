#if AllTests
import HTTPChain
import HTTPTypes
import Testing

@Suite("What a chain says of its stages' settings")
struct SettingSummaryTests {
    static let rows: [(stage: any Middleware, settings: [String])] = [
        (
            CacheMiddleware(
                store: .memory(limit: .mebibytes(1)),
                settings: CacheSettings(use: .onlyStored, lifetime: .atMost(.seconds(60)), ignoredQuery: .all),
                abandonment: .finish(upTo: .kibibytes(1)),
                storing: { metadata, _ in metadata }
            ),
            [
                "use: only stored", "lifetime: atMost(60.0 seconds)", "ignores: query: all",
                "stopped early: finish(upTo: 1 KiB)", "stores: as a closure says",
            ]
        ),
        (StatusValidationMiddleware(check: ResponseCheck { _, _ in }), ["checks: content"]),
        (GzipMiddleware(negotiation: .never), ["asks for codings: never"]),
        (
            RetryMiddleware(RetryPolicy(totalTime: .seconds(30)) { _ in .standard }, drainLimit: .kibibytes(1)),
            ["within: 30", "drains: up to 1 KiB", "verdict: custom"]
        ),
        (CoalescingMiddleware(ignoring: [.userAgent]), ["ignores: User-Agent"]),
        (ProgressMiddleware(.wire, countsUploadsAsRead: true), ["uploads: as they are read"]),
    ]

    @Test("Each setting that isn't the default is in the description of a chain", arguments: 0..<rows.count)
    func told(index: Int) throws {
        let row = Self.rows[index]
        let chain = try Chain([row.stage], transport: URLSessionTransport(), order: .unchecked)
        for setting in row.settings { #expect("\(chain)".contains(setting), "\(chain)") }
    }

    @Test(
        "A setting with its default isn't shown",
        arguments: ["use:", "drains:", "within:", "checks:", "asks for codings:", "stopped early:"]
    )
    func leftOut(setting: String) throws {
        let stages: [any Middleware] = [
            CacheMiddleware(store: .memory(limit: .mebibytes(1))), StatusValidationMiddleware(), GzipMiddleware(),
            RetryMiddleware(), CoalescingMiddleware(), ProgressMiddleware(),
        ]
        let chain = try Chain(stages, transport: URLSessionTransport(), order: .unchecked)
        #expect(!"\(chain)".contains(setting))
    }
}
#endif
