import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("Faults", .timeLimit(.minutes(10)))
struct FaultTests {
    let transport = InMemoryTransport()

    @Test("Before the connection nothing is sent and no byte of the body is read")
    func beforeConnect() async throws {
        transport.enqueue(.failure(.beforeConnect()))
        let wasOpened = Locked(false)
        let body = HTTPBody.once {
            wasOpened.withLock { $0 = true }
            throw TestError()
        }
        let error = try await failure { _ = try await transport.send(.post(base, body: body)) }
        let transportError = try #require(error as? TransportError)
        #expect(transportError.kind == .cannotConnect)
        #expect(transportError.sent == .nothing)
        #expect(transportError.stage == "InMemoryTransport")
        #expect(transportError.exchange?.url == base + "/")
        #expect(wasOpened.withLock { $0 } == false)
        #expect(transport.requests.first?.error is TransportError)
    }

    @Test("Before the head the whole request was sent")
    func beforeHead() async throws {
        transport.enqueue(.failure(.beforeHead(.timedOut)))
        let error = try await failure { _ = try await transport.send(.post(base, body: .onceChunks(["a", "b"]))) }
        let transportError = try #require(error as? TransportError)
        #expect(transportError.kind == .timedOut)
        #expect(transportError.sent == .maybe)
        #expect(transport.requests.first?.text == "ab")
    }

    @Test("A connection that fails late fails after its delay")
    func delayed() async throws {
        let time = ManualTime()
        transport.enqueue(.failure(.beforeConnect(.timedOut)).delayed(by: .seconds(10)))
        async let result = failure { _ = try await transport.send(Request.get(base).on(time)) }
        try await time.advanceSleeper(by: .seconds(10))
        #expect(try await (result as? TransportError)?.kind == .timedOut)
    }

    @Test(
        "Faults in the body strike after exactly the bytes named",
        arguments: [
            (Fault.afterHead(), ""), (.atByte(0), ""), (.atByte(-7), ""), (.atByte(1), "a"), (.atByte(2), "ab"),
            (.atByte(3), "abc"), (.atByte(5), "abcde"), (.atByte(99), "abcde"), (.atEnd(), "abcde"),
        ]
    )
    func inBody(fault: Fault, delivered: String) async throws {
        let chunks = ["ab", "cde"].map { Data($0.utf8) }
        transport.enqueue(ScriptedReply(chunks: chunks).failing(fault))
        let response = try await transport.send(.get(base))
        #expect(response.status == .ok)
        #expect(response.headers[.contentLength] == "5")
        let (received, error) = await response.body.chunks()
        #expect(received.joined() == delivered)
        let transportError = try #require(error as? TransportError)
        #expect(transportError.kind == .connectionLost)
        #expect(transportError.sent == .answered)
        #expect(transportError.exchange?.response?.status == .ok)
        let record = try #require(transport.requests.first)
        #expect(record.responseBody == .failed)
        #expect(record.responseBytesRead == Int64(delivered.utf8.count))
    }

    @Test("Errors redact what the chain's own redaction names, in URL, fields and answer")
    func ownRedaction() async throws {
        var redaction = Redaction.standard
        redaction.fieldNames.insert("x-plant-gate")
        redaction.queryNames.insert("plant")
        let chain = try Chain(transport: transport, environment: ChainEnvironment(redaction: redaction))
        let name = try #require(HTTPField.Name("X-Plant-Gate"))
        let answer = ScriptedReply(.ok, headers: [name: "tulip-4711"], body: "long")
        transport.enqueue([.failure(.beforeConnect()), .failure(.beforeHead()), answer.failing(.atByte(1))])
        let request = Request.get(base + "/?plant=tulip-4711", headers: [name: "tulip-4711"])
        for kind in ["refused", "lost", "cut", "unmatched"] {
            let error = try await failure {
                let response = try await chain.send(request)
                #expect(!"\(response)".contains("tulip"), "\(kind)")
                _ = try await response.body.collect()
            }
            let told = try #require(error as? any HTTPChainError)
            #expect(!told.description.contains("tulip"), "\(kind): \(told)")
            #expect(told.exchange?.requestFields[name] == Redaction.placeholder, "\(kind)")
            if kind == "cut" { #expect(told.exchange?.response?.headerFields[name] == Redaction.placeholder) }
        }
        #expect(transport.requests.count == 4)
        #expect(!transport.requests.map(\.description).joined().contains("tulip"))
    }

    @Test("A fault strikes in an empty body too")
    func emptyBody() async throws {
        transport.enqueue([.ok.failing(.atEnd(.truncatedBody)), .ok.failing(.afterHead())])
        for kind in [TransportError.Kind.truncatedBody, .connectionLost] {
            let response = try await transport.send(.get(base))
            let error = await response.body.chunks().error
            #expect((error as? TransportError)?.kind == kind)
        }
    }

    @Test("A body that broke off throws the same error again, never a clean end")
    func failureStays() async throws {
        transport.enqueue(.text("abc").failing(.atByte(1)))
        var reader = try await transport.send(.get(base)).body.makeReader()
        #expect(try await reader.read() == Data("a".utf8))
        for _ in 0..<2 {
            do {
                _ = try await reader.read()
                Issue.record("the body ended cleanly")
            } catch {
                #expect((error as? TransportError)?.kind == .connectionLost)
            }
        }
    }

    @Test(
        "An error of the test's own is thrown at the point named",
        arguments: [Fault.Point.beforeConnect, .beforeHead, .afterHead, .atByte(1), .atEnd]
    )
    func custom(point: Fault.Point) async throws {
        transport.enqueue(.text("abc").failing(.at(point, throwing: TestError(text: "mine"))))
        let error = try await failure { _ = try await transport.send(.get(base)).body.collect() }
        #expect(error as? TestError == TestError(text: "mine"))
        #expect((transport.requests.first?.response != nil) == (point.sent == .answered))
    }

    @Test(
        "Each kind of error is thrown as it is at each point, with what the server may have seen there",
        arguments: [
            TransportError.Kind.hostNotFound, .cannotConnect, .secureConnectionFailed, .untrustedServer,
            .networkNotAllowed, .insecureConnectionNotAllowed, .connectionLost, .malformedResponse, .truncatedBody,
            .timedOut, .shutDown, .other,
            TransportError.Kind("tunnelClosed", "the tunnel is closed"),
        ]
    )
    func translation(kind: TransportError.Kind) async throws {
        let rows: [(Fault, TransportError.Sent)] = [
            (.beforeConnect(kind), .nothing), (.beforeHead(kind), .maybe), (.afterHead(kind), .answered),
            (.atByte(1, kind), .answered), (.atEnd(kind), .answered),
        ]
        for (fault, sent) in rows {
            transport.enqueue(.text("abc").failing(fault))
            let error = try await failure { _ = try await transport.send(.get(base)).body.collect() }
            let transportError = try #require(error as? TransportError)
            #expect(transportError.kind == kind && transportError.sent == sent, "\(fault.point)")
            #expect(fault.point.sent == sent)
            #expect(transportError.reason.hasPrefix(kind.reason) && transportError.reason.hasSuffix(sent.rawValue))
        }
    }

    @Test("A failure given as an error takes the place of the head")
    func failureShortcut() async throws {
        transport.enqueue(.failure(TestError(text: "x")))
        await #expect(throws: TestError(text: "x")) { try await transport.send(.get(base)) }
        #expect(transport.requests.first?.error as? TestError == TestError(text: "x"))
    }
}
