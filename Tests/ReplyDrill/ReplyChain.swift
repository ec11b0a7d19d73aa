import Foundation
import HTTPChain
import HTTPChainAuthDigest
import HTTPChainContentDigest
import HTTPChainErrorHandlerXML
import HTTPChainInMemory
import HTTPChainSerializerXML
import HTTPChainSupport
import HTTPTypes

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

/// What a user makes of a reply, through a chain of all stages that read replies.
struct ReplyChain: Sendable {
    /// A fault that is planted on a status, to see that it is found.
    enum Fault: String {
        case trap, hang
    }

    let transport: any Transport
    let origin: String
    let fault: Fault?

    private func chain(_ number: Int) throws -> Chain {
        var stages: [any Middleware] = [
            errorHandler,
            ProgressMiddleware(),
            TimeoutMiddleware(.seconds(30)),
            SerializerMiddleware(serializers),
            StatusValidationMiddleware(),
            RedirectMiddleware(.sameOrigin.and(.limited(3))),
            CookieMiddleware(CookieJar()),
            GzipMiddleware(),
            ContentDigestMiddleware(),
            CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .shared),
            CoalescingMiddleware(partition: .shared),
            RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none, retryAfterLimit: .zero)),
            DigestAuthMiddleware(user: "bob", password: "hunter2", for: origin),
            CircuitBreakerMiddleware(.consecutive(failures: 100)),
            LoadSheddingMiddleware(),
            RateLimitMiddleware(RateLimit(1000, per: .seconds(1)), excess: .refuse),
            ConcurrencyLimitMiddleware(.fixed(10)),
            AttemptTimeoutMiddleware(.seconds(20)),
        ]
        // Writing takes longer than all the rest.
        if number.isMultiple(of: 3) {
            stages.append(RemoteLoggingMiddleware(Forgetful(), each: .attempt, detail: .bodies))
        }
        if let fault { stages.append(PlantedFault(fault: fault)) }
        // Checking the order takes as long as a call; once shows a mistake.
        return try Chain(transport: transport, order: number == 0 ? .checked : .unchecked) { stages }
    }

    private var errorHandler: ErrorHandlerMiddleware {
        #if XML
        let types = ["application/problem+xml", "application/xml", "text/xml"]
        return ErrorHandlerMiddleware(.problemDetails, .problemDetailsXML(contentTypes: types))
        #else
        return ErrorHandlerMiddleware(.problemDetails)
        #endif
    }

    private var serializers: [any Serializer] {
        var all: [any Serializer] = [
            JSONSerializer(), PropertyListSerializer(), FormSerializer(), PlainTextSerializer(),
        ]
        #if XML
        all.append(XMLSerializer())
        #endif
        return all
    }

    /// Reads a reply in one of the ways that there are, and again what the chain has learned of it.
    func read(_ number: Int) async {
        do {
            let chain = try chain(number)
            for _ in 0..<(number.isMultiple(of: 4) ? 2 : 1) {
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
        switch number % 10 {
        case 0: _ = try await chain.send(.get(url), as: JSONValue.self)
        case 1: _ = try await chain.send(.get(url), as: Flat.self)
        case 2: for try await _ in try await chain.send(.get(url)).body.serverSentEvents() {}
        case 3:
            for try await part in try await chain.send(.get(url)).parts() { _ = try await part.body.collect() }
        case 4: _ = try await chain.send(.head(url)).body.collect()
        case 5:
            let call = await chain.trace(.get(url))
            precondition(!call.trace.html().isEmpty)
        case 6: for try await _ in try await chain.send(.get(url)).jsonLines(of: JSONValue.self) {}
        case 7: _ = try await chain.send(.post(url, body: content), as: JSONValue.self)
        case 8: _ = try await chain.send(.put(url, body: content)).body.collect()
        default: _ = try await chain.send(.get(url)).body.collect(upTo: .mebibytes(1))
        }
    }

    private struct Flat: Decodable {
        let a: String?
    }
}

/// Takes what is logged, and so has it written.
private struct Forgetful: LogSink {
    func log(_ record: consuming LogRecord) { precondition(!"\(record.message)\(record.attributes)".isEmpty) }
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
