import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainOData
import HTTPChainPagination
import HTTPChainSupport
import HTTPTypes

/// What a user makes of a reply, through one of several chains, in which there are all stages that read replies.
struct ReplyChain: Sendable {
    /// A fault that is planted on a status, to see that it is found.
    enum Fault: String {
        case trap, hang
    }

    let transport: any Transport
    let origin: String
    let fault: Fault?

    private func chain(_ number: Int) throws -> Chain {
        var stages = try variant(number).stages(number)
        if let fault { stages.append(PlantedFault(fault: fault)) }
        // Checking the order takes as long as a call; once for each variant shows a mistake.
        let isFirst = number < Variant.allCases.count
        return try Chain(transport: transport, order: isFirst ? .checked : .unchecked) { stages }
    }

    /// Reads a reply in one of the ways that there are, and again what the chain has learned of it.
    func read(_ number: Int) async {
        do {
            let chain = try chain(number)
            for _ in 0..<(number.isMultiple(of: 7) ? 2 : 1) {
                do {
                    try await read(number, over: chain)
                } catch {
                    // Errors cost nothing until somebody reads them.
                    precondition(!"\(error)".isEmpty)
                }
            }
        } catch {
            preconditionFailure("the chain cannot be made: \(error)")
        }
    }

    private func read(_ number: Int, over chain: Chain) async throws {
        let url = "\(origin)/r/\(number)"
        let content = HTTPBody("{\"a\":\"\(number)\"}")
        switch ReplyReading(number) {
        case .json: _ = try await chain.send(.get(url), as: JSONValue.self)
        case .value: _ = try await chain.send(.get(url), as: Flat.self)
        case .events: for try await _ in try await chain.send(.get(url)).body.serverSentEvents() {}
        case .parts:
            for try await part in try await chain.send(.get(url)).parts() { _ = try await part.body.collect() }
        case .head: _ = try await chain.send(.head(url)).body.collect()
        case .trace:
            let call = await chain.trace(.get(url))
            precondition(!call.trace.html().isEmpty)
        case .lines: for try await _ in try await chain.send(.get(url)).jsonLines(of: JSONValue.self) {}
        case .post: _ = try await chain.send(.post(url, body: content), as: JSONValue.self)
        case .put: _ = try await chain.send(.put(url, body: content)).body.collect()
        case .reopenedEvents: for try await _ in chain.events(.get(url), options: Self.briefEvents) {}
        case .linkedPages: try await readPages(by: .linkHeader(), from: url, over: chain)
        case .pages:
            try await readPages(
                by: .nextURL { $0["@odata.nextLink"]?.string ?? $0["next"]?.string },
                from: url,
                over: chain
            )
        case .batch:
            var batch = ODataBatch()
            let ids = [batch.add(.get("People")), batch.add(.get("Places"))]
            let responses = try await chain.send(batch, to: url)
            for id in ids { _ = try responses.value(of: id, as: JSONValue.self) }
        case .page: _ = try await chain.send(.get(url), as: ODataPage<JSONValue>.self)
        case .upload: _ = try await chain.send(.post(url, body: HTTPBody(Data(count: 3000)))).body.collect()
        case .body: _ = try await chain.send(.get(url)).body.collect(upTo: .mebibytes(1))
        }
    }

    /// A stream that is opened again twice, without a wait.
    private static var briefEvents: EventStreamOptions {
        let openings = Locked(0)
        return EventStreamOptions(
            reconnection: ReconnectionPolicy(
                delay: .zero,
                maximumDelay: .zero,
                serverDelayLimit: .zero,
                verdict: { _ in
                    openings.withLock { $0 += 1 }
                    return openings.withLock { $0 } > 2 ? .finish : .reconnectAfter(.zero)
                }
            )
        )
    }

    private func readPages(
        by style: PaginationStyle<JSONValue>,
        from url: String,
        over chain: Chain
    ) async throws {
        var pages = 0
        for try await _ in chain.pages(of: JSONValue.self, from: .get(url), by: style) {
            pages += 1
            if pages == 3 { return }
        }
    }

    private struct Flat: Decodable {
        let a: String?
    }
}

private struct PlantedFault: Middleware {
    let fault: ReplyChain.Fault

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let response = try await next(request)
        guard response.status.code == 451 else { return response }
        switch fault {
        case .trap: fatalError("the planted fault")
        case .hang: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        return response
    }
}

extension ReplyChain {
    /// The reply as a transport in memory has it: its head as far as it has names and values, all after it as its body.
    static func inMemory(_ reply: @escaping @Sendable (Int) -> Reply) -> InMemoryTransport {
        InMemoryTransport { request in
            let parts = (request.head.path ?? "").split(separator: "/")
            guard parts.first == "r", parts.count > 1, let number = Int(parts[1]) else { return Response(.ok) }
            let text = reply(number).bytes
            let end = Reply.endOfHead(text) ?? text.endIndex
            let lines = text[..<end].split(separator: 0x0A)
            let words = lines.first?.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false) ?? []
            let status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 200 : 200
            var head = HTTPResponse(status: .init(code: min(max(status, 0), 999)))
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: 0x3A),
                    let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
                else { continue }
                head.headerFields.append(HTTPField(name: name, lenientValue: Array(line[(colon + 1)...])))
            }
            return Response(head: head, body: HTTPBody(Data(text[end...])))
        }
    }
}
