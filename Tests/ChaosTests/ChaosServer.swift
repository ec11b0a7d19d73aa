#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting

/// What the server does with one request.
enum Behaviour: CaseIterable {
    case answer, answerInChunks
    case dropUnanswered, cutInsideHead, garbage
    case stallUnanswered, stallInsideBody
    case truncateBody, truncateChunks, resetInsideBody
    case serverError, unavailable, tooManyRequests
    case redirect, redirectToOtherOrigin, redirectInCircles

    /// How often it is drawn, beside the others.
    private var weight: UInt64 {
        switch self {
        case .answer: 30
        case .answerInChunks: 20
        case .redirect, .redirectToOtherOrigin: 8
        case .stallUnanswered, .stallInsideBody, .redirectInCircles: 2
        default: 4
        }
    }

    /// The behaviour for one request of a call: the same in every run with the same seed, in whatever order requests
    /// arrive.
    ///
    /// - Parameters:
    ///   - call: The number of the call.
    ///   - visit: How many requests of the call came before.
    static func drawn(seed: UInt64, call: Int, visit: Int) -> Behaviour {
        let random = SeededRandom(seed: seed ^ (UInt64(call) << 20) ^ UInt64(visit))
        _ = random.next()
        var rest = random.next() % allCases.reduce(0) { $0 + $1.weight }
        for behaviour in allCases {
            if rest < behaviour.weight { return behaviour }
            rest -= behaviour.weight
        }
        return .answer
    }
}

/// Two origins on loopback that drop, stall, truncate, redirect and err at random.
final class ChaosServer: Sendable {
    /// The content of every complete answer to a call.
    static func content(of call: Int) -> Data {
        let line = Data("call \(call) ".utf8)
        let count = 1 + call % 997
        return Data((0..<count).map { line[$0 % line.count] })
    }

    private let servers: [LoopbackServer]
    private let log: Log

    private final class Log: Sendable {
        private struct State: Sendable {
            /// How many requests of each call were drawn a behaviour.
            var visits: [Int: Int] = [:]
            var seen: [Behaviour: Int] = [:]
            var leaked: [String] = []
        }
        private let state = Locked(State())

        func visit(_ call: Int) -> Int {
            state.withLock { state in
                defer { state.visits[call, default: 0] += 1 }
                return state.visits[call, default: 0]
            }
        }

        func note(_ behaviour: Behaviour) { state.withLock { $0.seen[behaviour, default: 0] += 1 } }
        func note(leaked field: String) { state.withLock { $0.leaked.append(field) } }
        var seen: [Behaviour: Int] { state.withLock { $0.seen } }
        var leaked: [String] { state.withLock { $0.leaked } }
        var requests: Int { state.withLock { $0.seen.values.reduce(0, +) } }
    }

    static func start(seed: UInt64) async throws -> ChaosServer {
        let log = Log()
        let ports = Locked<[UInt16]>([])
        let script: LoopbackServer.Script = { exchange in
            try await answer(exchange, seed: seed, ports: ports.withLock { $0 }, log: log)
        }
        let servers = [try await LoopbackServer.start(script: script), try await LoopbackServer.start(script: script)]
        ports.withLock { $0 = servers.map(\.port) }
        return ChaosServer(servers: servers, log: log)
    }

    private init(servers: [LoopbackServer], log: Log) {
        self.servers = servers
        self.log = log
    }

    /// The ports of the two origins.
    var ports: [UInt16] { servers.map(\.port) }

    func url(of call: Int) -> String { servers[0].url("/call/\(call)/start") }

    /// How many requests arrived.
    var requests: Int { log.requests }

    /// How many of them were answered with a redirect.
    var redirects: Int {
        [.redirect, .redirectToOtherOrigin, .redirectInCircles].reduce(0) { $0 + seen[$1, default: 0] }
    }

    /// How often each behaviour was shown.
    var seen: [Behaviour: Int] { log.seen }

    /// Credentials that reached the second origin.
    var leaked: [String] { log.leaked }

    var failures: [any Error] { servers.flatMap(\.failures) }

    func stop() async {
        for server in servers { await server.stop() }
    }

    private static func answer(
        _ exchange: LoopbackExchange,
        seed: UInt64,
        ports: [UInt16],
        log: Log
    ) async throws {
        let path = exchange.request.target.split(separator: "/")
        guard path.count >= 3, let call = Int(path[1]) else { return try await exchange.reply(404) }
        let isElsewhere = exchange.request.values("Host").contains("127.0.0.1:\(ports[1])")
        if isElsewhere {
            for name in ["Authorization", "Cookie"] where !exchange.request.values(name).isEmpty {
                log.note(leaked: "\(name) of call \(call)")
            }
        }
        let isInCircle = path[2] == "circle"
        let behaviour =
            isInCircle ? .redirectInCircles : Behaviour.drawn(seed: seed, call: call, visit: log.visit(call))
        log.note(behaviour)
        try await exchange.readBody()
        try await show(behaviour, of: call, on: exchange, ports: ports)
    }

    private static func show(
        _ behaviour: Behaviour,
        of call: Int,
        on exchange: LoopbackExchange,
        ports: [UInt16]
    ) async throws {
        let tag = "\"call-\(call)\""
        let whole = content(of: call)
        let start = resumption(exchange.request, tag: tag, count: whole.count)
        let content = whole.dropFirst(start ?? 0)
        let status = start == nil ? 200 : 206
        var fields = [("ETag", tag), ("Accept-Ranges", "bytes")]
        if let start { fields.append(("Content-Range", "bytes \(start)-\(whole.count - 1)/\(whole.count)")) }
        let half = content.prefix(content.count / 2)
        let length = fields + [("Content-Length", "\(content.count)")]
        switch behaviour {
        case .answer:
            try await exchange.reply(status, fields: fields, body: content)
        case .answerInChunks:
            try await exchange.beginChunks(status, fields: fields)
            try await exchange.writeChunk(half)
            try await exchange.writeChunk(content.dropFirst(half.count))
            try await exchange.finishChunks()
        case .dropUnanswered:
            await exchange.close()
        case .cutInsideHead:
            try await exchange.write("HTTP/1.1 200 OK\r\nContent-Le")
            await exchange.close()
        case .garbage:
            try await exchange.write("220 mail.example.com ESMTP\r\n\r\n")
            await exchange.close()
        case .stallUnanswered:
            try await exchange.waitForPeerToClose()
        case .stallInsideBody:
            try await exchange.writeHead(status, length)
            try await exchange.write(half)
            try await exchange.waitForPeerToClose()
        case .truncateBody:
            try await exchange.writeHead(status, length)
            try await exchange.write(half)
            await exchange.close()
        case .truncateChunks:
            try await exchange.beginChunks(status, fields: fields)
            try await exchange.writeChunk(half)
            await exchange.close()
        case .resetInsideBody:
            try await exchange.writeHead(status, length)
            try await exchange.write(half)
            await exchange.reset()
        case .serverError:
            try await exchange.reply(500, body: Data("it broke".utf8))
        case .unavailable:
            try await exchange.reply(503, fields: [("Retry-After", "0")], body: Data("busy".utf8))
        case .tooManyRequests:
            try await exchange.reply(429, fields: [("Retry-After", "0")])
        case .redirect:
            try await exchange.reply(call % 2 == 0 ? 302 : 307, fields: [("Location", "onward")])
        case .redirectToOtherOrigin:
            try await exchange.reply(
                308,
                fields: [("Location", "http://127.0.0.1:\(ports[1])/call/\(call)/elsewhere")]
            )
        case .redirectInCircles:
            try await exchange.reply(302, fields: [("Location", "/call/\(call)/circle")])
        }
    }

    /// Where a request goes on with a download that broke, RFC 9110 §13.1.5 and §14.2.
    private static func resumption(_ request: LoopbackRequest, tag: String, count: Int) -> Int? {
        guard request.values("If-Range") == [tag], let range = request.values("Range").first,
            range.hasPrefix("bytes="), range.hasSuffix("-"), let start = Int(range.dropFirst(6).dropLast()),
            start < count
        else { return nil }
        return start
    }
}
#endif
