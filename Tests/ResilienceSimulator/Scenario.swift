import HTTPChainCore

/// What clients send, and how the servers behave meanwhile.
package struct Scenario: Sendable {
    /// A server as a queue with workers.
    package struct Server: Sendable {
        /// How many calls it works on at once.
        package var workers: Int
        /// The mean time that it works on a call, in seconds; each call draws its own, half of it fixed and half
        /// exponential.
        package var service: Double
        /// How many calls wait for a worker; more are answered with 503 at once.
        package var queue = 2000
        /// The share of calls whose work comes to nothing (500).
        package var failures = 0.0
        /// The share of calls that take twenty times as long.
        package var stragglers = 0.0
        /// Whether it takes calls and answers none.
        package var hangs = false
        /// Whether no connection can be made.
        package var isDown = false
        /// How many calls of one client it takes in each second; `nil` for any number.
        ///
        /// More are answered with 429, and each answer tells what is left of the second.
        package var quota: Int?

        package init(workers: Int, service: Double) {
            self.workers = workers
            self.service = service
        }

        /// How many calls a second it can answer.
        package var capacity: Double { hangs || isDown ? 0 : Double(workers) / service * (1 - failures) }
    }

    package var name: String
    /// How long it goes on, in seconds.
    package var length: Double
    /// Between which times things are not as usual, for the time to recover.
    package var disturbance: ClosedRange<Double>?
    package var servers: [Server]
    package var clients = 4
    /// After how many seconds a caller gives up.
    package var timeout = 1.0
    /// The calls a second, of all clients together.
    package var rate: @Sendable (_ time: Double) -> Double
    /// A server at a time.
    package var behavior: @Sendable (_ server: Int, _ time: Double, _ usual: Server) -> Server

    package init(
        _ name: String,
        length: Double,
        disturbance: ClosedRange<Double>? = nil,
        servers: [Server],
        rate: @escaping @Sendable (Double) -> Double,
        behavior: @escaping @Sendable (Int, Double, Server) -> Server = { $2 }
    ) {
        self.name = name
        self.length = length
        self.disturbance = disturbance
        self.servers = servers
        self.rate = rate
        self.behavior = behavior
    }

    /// Returns a server that is changed for a while.
    private static func disturbed(
        _ server: Server,
        during times: Range<Double>,
        _ time: Double,
        _ change: (inout Server) -> Void
    ) -> Server {
        var server = server
        if times.contains(time) { change(&server) }
        return server
    }

    private static let one = Server(workers: 20, service: 0.05)

    /// Half as many calls again as the server can answer.
    package static let overload = Scenario("overload", length: 60, servers: [one], rate: { _ in 600 })

    /// A server that is cold at first: its work takes four times as long, and falls to its usual time.
    package static let slowStart = Scenario("slow start", length: 60, servers: [one], rate: { _ in 300 }) {
        _,
        time,
        server in
        var server = server
        server.service *= 1 + 3 * max(0, 1 - time / 30)
        return server
    }

    /// One server of five becomes ten times slower for a while.
    package static let badHost = Scenario(
        "one bad host of five",
        length: 60,
        disturbance: 20...40,
        servers: Array(repeating: Server(workers: 8, service: 0.04), count: 5),
        rate: { _ in 700 }
    ) { index, time, server in
        index == 2 ? disturbed(server, during: 20..<40, time) { $0.service *= 10 } : server
    }

    /// The work takes three times as long for a while.
    package static let brownOut = Scenario(
        "brown-out",
        length: 70,
        disturbance: 20...40,
        servers: [one],
        rate: { _ in 300 }
    ) { disturbed($2, during: 20..<40, $1) { $0.service *= 3 } }

    /// The server takes calls and answers none for a while.
    package static let constantTimeouts = Scenario(
        "constant timeouts",
        length: 70,
        disturbance: 20...40,
        servers: [one],
        rate: { _ in 300 }
    ) { disturbed($2, during: 20..<40, $1) { $0.hangs = true } }

    /// A little more than the server can answer, for long.
    package static let drift = Scenario("drift", length: 180, servers: [one], rate: { _ in 420 })

    /// The server is gone, and when it comes back everybody wants to make up for it.
    package static let herd = Scenario(
        "thundering herd",
        length: 70,
        disturbance: 20...30,
        servers: [one],
        rate: { (30..<40).contains($0) ? 900 : 300 }
    ) { disturbed($2, during: 20..<30, $1) { $0.isDown = true } }

    /// A client that sends little, and a server that fails for a while.
    package static let lowRate = Scenario(
        "low rate",
        length: 120,
        disturbance: 40...70,
        servers: [one],
        rate: { _ in 3 }
    ) { disturbed($2, during: 40..<70, $1) { $0.hangs = true } }

    /// A quota of 60 calls a second for each client, of which callers ask for a half, and for twice as many each fourth
    /// second.
    package static let quota = Scenario(
        "quota",
        length: 60,
        servers: [limited],
        rate: { Int($0) % 4 == 3 ? 480 : 120 }
    )

    private static let limited: Server = {
        var server = one
        server.quota = 60
        return server
    }()

    /// Every fiftieth call takes twenty times as long.
    package static let stragglers = Scenario(
        "stragglers",
        length: 60,
        servers: Array(repeating: Server(workers: 20, service: 0.03), count: 3),
        rate: { _ in 600 }
    ) { _, _, server in
        var server = server
        server.stragglers = 0.02
        return server
    }

    /// Those that concurrency limits are judged by.
    package static let all: [Scenario] = [
        .overload, .slowStart, .badHost, .brownOut, .constantTimeouts, .drift, .herd, .lowRate,
    ]
}
