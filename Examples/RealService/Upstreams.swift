import Foundation
import HTTPChainTesting

/// Three upstreams with faults, and the collector of logs.
actor Upstreams {
    private(set) var records = 0
    private var visits: [String: Int] = [:]

    func startCatalog() async throws -> LoopbackServer {
        try await LoopbackServer.start { exchange in
            _ = try await exchange.readBody()
            // Product 9 never gets a response.
            if exchange.request.target == "/products/9" { return try await exchange.waitForPeerToClose() }
            try await exchange.reply(200, fields: json, body: Data(#"{"name":"lamp"}"#.utf8))
        }
    }

    func startPrices() async throws -> LoopbackServer {
        try await LoopbackServer.start { exchange in
            _ = try await exchange.readBody()
            let visit = await self.visit(exchange.request.target)
            // The first request for the price of product 8 never gets a response, and the one for product 6 takes half
            // a second.
            if exchange.request.target == "/prices/8", visit == 1 { return try await exchange.waitForPeerToClose() }
            if exchange.request.target == "/prices/6" { try await Task.sleep(for: .milliseconds(500)) }
            try await exchange.reply(200, fields: json, body: Data(#"{"amount":40}"#.utf8))
        }
    }

    func startReviews() async throws -> LoopbackServer {
        try await LoopbackServer.start { exchange in
            _ = try await exchange.readBody()
            guard exchange.request.target != "/reviews/5" else { return try await exchange.reply(500) }
            try await exchange.reply(200, fields: json, body: Data(#"["bright"]"#.utf8))
        }
    }

    func startCollector() async throws -> LoopbackServer {
        try await LoopbackServer.start { exchange in
            let lines = try await exchange.readBody().split(separator: UInt8(ascii: "\n"))
            await self.add(lines.count)
            try await exchange.reply(204)
        }
    }

    func visits(of target: String) -> Int { visits[target, default: 0] }

    private func visit(_ target: String) -> Int {
        visits[target, default: 0] += 1
        return visits[target, default: 0]
    }

    private func add(_ count: Int) { records += count }
}

private let json = [("Content-Type", "application/json")]
