import Foundation
import HTTPChain
import HTTPChainTesting

/// The requests in flight.
///
/// A shutdown waits until they have ended.
actor Gate {
    private(set) var count = 0
    private var isClosed = false
    private var waiting: CheckedContinuation<Void, Never>?

    func enter() -> Bool {
        guard !isClosed else { return false }
        count += 1
        return true
    }

    func leave() {
        count -= 1
        guard isClosed, count == 0 else { return }
        waiting?.resume()
        waiting = nil
    }

    /// Refuses further requests, and returns when those in flight have ended.
    func close() async {
        isClosed = true
        if count > 0 { await withCheckedContinuation { waiting = $0 } }
    }
}

/// Serves pages of products, as a server framework does in a real service.
func startFront(_ storefront: Storefront, behind gate: Gate) async throws -> LoopbackServer {
    try await LoopbackServer.start { exchange in
        _ = try await exchange.readBody()
        guard await gate.enter() else { return try await exchange.reply(503, fields: [("Retry-After", "1")]) }
        let (status, content) = await respond(to: exchange.request, from: storefront)
        try? await exchange.reply(status, body: content)
        await gate.leave()
    }
}

private func respond(to request: LoopbackRequest, from storefront: Storefront) async -> (status: Int, content: Data) {
    guard let id = request.target.split(separator: "/").last.flatMap({ Int($0) }) else { return (404, Data()) }
    let budget = request.values(budgetField).first.flatMap { Int($0) } ?? 1000
    do {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (200, try encoder.encode(try await storefront.page(for: id, within: .milliseconds(budget))))
    } catch is TimeoutError {
        return (504, Data("out of time".utf8))
    } catch is CircuitOpenError {
        return (503, Data("try again later".utf8))
    } catch {
        return (502, Data("\(error)".utf8))
    }
}

/// Waits until SIGTERM arrives.
///
/// The signal no longer ends the process.
func termination() async {
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        source.setEventHandler { continuation.resume() }
        source.activate()
    }
    source.cancel()
}
