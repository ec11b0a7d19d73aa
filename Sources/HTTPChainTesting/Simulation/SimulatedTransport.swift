import Foundation
import HTTPChainCore
import HTTPTypes

/// A transport to the servers of a simulation, over a network that fails in many ways.
final class SimulatedTransport: Transport {
    private struct State: Sendable {
        var server: SimulatedServer
        var requests = 0
        var faults: [SimulatedFault: Int] = [:]
        var transfers = 0
        /// A hash of everything that happened.
        var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func note(_ text: String) {
            for byte in text.utf8 { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
    }

    private let state: Locked<State>
    private let skew: Duration
    private let clock: VirtualClock
    private let random: SeededRandom
    private let faultRate: Double

    init(clock: VirtualClock, random: SeededRandom, faultRate: Double, skew: Duration) {
        self.skew = skew
        state = Locked(State(server: SimulatedServer(skew: skew)))
        self.clock = clock
        self.random = random
        self.faultRate = faultRate
    }

    let capabilities: TransportCapabilities = [.streamsUploads, .backpressure, .keepsRepeatedFields]

    /// The number of response bodies that are neither fully read nor dropped.
    var transfers: Int { state.withLock { $0.transfers } }
    var requests: Int { state.withLock { $0.requests } }
    var faults: [SimulatedFault: Int] { state.withLock { $0.faults } }
    var fingerprint: UInt64 { state.withLock { $0.fingerprint } }

    func withServer<Result: Sendable>(_ body: @Sendable (inout SimulatedServer) -> Result) -> Result {
        state.withLock { body(&$0.server) }
    }

    /// Adds an event to the fingerprint.
    func note(_ text: String) { state.withLock { $0.note(text) } }

    func send(_ request: consuming Request) async throws -> Response {
        let fault = nextFault()
        try await clock.sleep(for: .milliseconds(1 + Int(random.next() % 40)))
        switch fault {
        case .refused: throw failure(.cannotConnect, sent: .nothing)
        case .staleConnection:
            if request.head.method == .patch { try await receivePart(of: request) }
            throw failure(.connectionLost, sent: .maybe)
        default: break
        }
        let received = try await receive(request)
        try await clock.sleep(for: .milliseconds(1 + Int(random.next() % 60)))
        switch fault {
        case .unavailable: return refusal(.serviceUnavailable)
        case .tooManyRequests: return refusal(.tooManyRequests)
        case .proxyChallenge:
            return Response(
                .proxyAuthenticationRequired,
                headers: [.proxyAuthenticate: #"Basic realm="proxy""#],
                body: "who is there?"
            )
        case .revokedToken:
            let user = received.call.user
            withServer { $0.revokeToken(of: user) }
        case .duplicate where received.method.isIdempotent: _ = answer(received)
        default: break
        }
        let answer = answer(received)
        switch fault {
        case .cutHead: throw failure(.connectionLost, sent: .answered)
        case .lostAfterActing: throw failure(.connectionLost, sent: .maybe)
        case .gatewayTimeout: return Response(.gatewayTimeout, body: "the gateway gave up")
        case .slowHead: try await clock.sleep(for: .seconds(150))
        default: break
        }
        return response(answer, fault)
    }

    private func nextFault() -> SimulatedFault? {
        let fault = random.chance(faultRate) ? random.element(of: SimulatedFault.allCases) : nil
        state.withLock { state in
            state.requests += 1
            if let fault { state.faults[fault, default: 0] += 1 }
        }
        return fault
    }

    private func receive(_ request: Request) async throws -> ReceivedRequest {
        ReceivedRequest(
            method: request.head.method,
            origin: origin(of: request),
            path: request.head.path ?? "",
            headers: request.head.headerFields,
            content: try await request.body.collect(upTo: .mebibytes(4)),
            call: request.options[SimulatedCallNote.self]
        )
    }

    /// Returns the origin of a request; a host with a trailing dot is the same server.
    private func origin(of request: Request) -> String {
        let origin = request.origin?.description ?? ""
        return origin == SimulatedOrigins.own + "." ? SimulatedOrigins.own : origin
    }

    /// Receives the beginning of an upload part, which the server keeps.
    private func receivePart(of request: Request) async throws {
        var part = try await receive(request)
        part.content = part.content.prefix(Int(random.next() % UInt64(part.content.count + 1)))
        _ = answer(part)
    }

    private func answer(_ request: ReceivedRequest) -> SimulatedAnswer {
        let date = clock.date
        return state.withLock { state in
            let answer = state.server.answer(request, at: date)
            state.note("\(request.call.number) \(request.method) \(request.origin)\(request.path) \(answer.status)")
            return answer
        }
    }

    private func failure(_ kind: TransportError.Kind, sent: TransportError.Sent) -> TransportError {
        TransportError(kind, sent: sent, stage: name, detail: "simulated")
    }

    private func refusal(_ status: HTTPResponse.Status) -> Response {
        let wait = Int(1 + random.next() % 4)
        guard wait.isMultiple(of: 2) else { return Response(status, headers: [.retryAfter: "\(wait)"], body: "later") }
        let date = clock.date + skew.inSeconds
        let fields: HTTPFields = [
            .date: HTTPDate(date).description, .retryAfter: HTTPDate(date + Double(wait)).description,
        ]
        return Response(status, headers: fields, body: "later")
    }

    private func response(_ answer: SimulatedAnswer, _ fault: SimulatedFault?) -> Response {
        var content = answer.content
        var response = Response(answer.status, headers: answer.headers)
        guard !content.isEmpty else { return response }
        var isCut = fault == .cut
        if fault == .truncatedCoding {
            // Without a coding, the truncation couldn't be detected, so the connection is cut off instead.
            isCut = answer.headers[.contentEncoding] == nil
            content = content.prefix(1 + Int(random.next() % UInt64(content.count)))
        }
        let hasLength = fault != .truncatedCoding && random.chance(0.7)
        if hasLength { response.headers[.contentLength] = "\(answer.content.count)" }
        if isCut { content = content.prefix(Int(random.next() % UInt64(content.count + 1))) }
        let transfer = Lifeline { [weak self] in self?.state.withLock { $0.transfers -= 1 } }
        state.withLock { $0.transfers += 1 }
        let pause: Duration? = fault == .slowContent ? .seconds(200) : nil
        let length = hasLength ? Int64(answer.content.count) : nil
        response.body = .once(length: length) { [clock, random, content, isCut] in
            SimulatedContentReader(
                rest: content,
                chunk: 1 + Int(random.next() % 20_000),
                pause: pause,
                failure: isCut
                    ? TransportError(.connectionLost, sent: .answered, stage: "SimulatedTransport", detail: "simulated")
                    : nil,
                clock: clock,
                transfer: transfer
            )
        }
        return response
    }
}

/// Reads the content of a simulated response in chunks, to its end or the end of its connection.
private struct SimulatedContentReader: BodyReader {
    var rest: Data
    let chunk: Int
    let pause: Duration?
    let failure: TransportError?
    let clock: VirtualClock
    var transfer: Lifeline?

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard transfer != nil else { return nil }
        try await clock.sleep(for: pause ?? .milliseconds(2))
        guard !rest.isEmpty else {
            transfer = nil
            if let failure { throw failure }
            return nil
        }
        let piece = rest.prefix(chunk)
        rest = rest.dropFirst(piece.count)
        return piece
    }
}

extension SeededRandom {
    /// Returns `true` with the given probability.
    func chance(_ share: Double) -> Bool { double(in: 0...1) < share }

    /// Returns a random element, with equal probabilities.
    func element<Element>(of elements: [Element]) -> Element { elements[Int(next() % UInt64(elements.count))] }
}
