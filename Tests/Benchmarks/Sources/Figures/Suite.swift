/// A group of figures, chosen on the command line by its name.
struct Suite: Sendable {
    let name: String
    /// The first words of the names of its figures, which is how a threshold is known to be of this suite.
    let prefixes: [String]
    /// Whether it runs only when it is named.
    var isByHand = false
    /// Measures, and gives the figures in the order to print them.
    let run: @Sendable () async throws -> [Figure]

    /// The suites, in the order they run; one more area is one more file and its suite here.
    static let all: [Suite] = [
        .chain, .client, .urlsession, .readme, .serializer, .body, .download, .incoming, .auth, .cache, .logging,
        .redaction, .resilience, .streams, .har, .cookies, .macros, .telemetry, .signing, .soak,
    ]
}
