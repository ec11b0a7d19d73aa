import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("The framing of responses", .timeLimit(.minutes(10)))
struct FramingTests {
    let transport = InMemoryTransport()

    @Test("Content-Length is added when the length is known and there is none")
    func added() async throws {
        transport.on(nil, "/known") { _ in Response(.ok, body: "four") }
        transport.on(nil, "/empty") { _ in Response(.ok) }
        transport.on(nil, "/unknown") { _ in Response(.ok, body: .onceChunks(["a"])) }
        transport.on(nil, "/chunked") { _ in Response(.ok, headers: [.transferEncoding: "chunked"], body: "four") }
        #expect(try await transport.send(.get(base + "/known")).headers[.contentLength] == "4")
        #expect(try await transport.send(.get(base + "/known")).body.length == 4)
        #expect(try await transport.send(.get(base + "/empty")).headers[.contentLength] == "0")
        let unknown = try await transport.send(.get(base + "/unknown"))
        #expect(unknown.headers[.contentLength] == nil)
        #expect(try await unknown.body.text() == "a")
        let chunked = try await transport.send(.get(base + "/chunked"))
        #expect(chunked.headers[.contentLength] == nil)
        #expect(try await chunked.body.text() == "four")
    }

    @Test("A body shorter than the Content-Length of its head is a truncated body", arguments: ["", "abc"])
    func shorter(text: String) async throws {
        transport.enqueue(.status(.ok, headers: [.contentLength: "5"], body: HTTPBody(text)))
        let response = try await transport.send(.get(base))
        #expect(response.body.length == 5)
        let (chunks, error) = await response.body.chunks()
        #expect(chunks.joined() == text)
        let transportError = try #require(error as? TransportError)
        #expect(transportError.kind == .truncatedBody)
        #expect(transportError.sent == .answered)
        #expect(transportError.underlyingError is BodyError)
    }

    @Test("A body longer than the Content-Length of its head is a malformed response", arguments: ["2", "0"])
    func longer(length: String) async throws {
        transport.enqueue(.status(.ok, headers: [.contentLength: length], body: "abc"))
        let response = try await transport.send(.get(base))
        let error = await response.body.chunks().error
        #expect((error as? TransportError)?.kind == .malformedResponse)
    }

    @Test("A stream that breaks its own length is the server's fault")
    func streamBreaksLength() async throws {
        transport.on(nil, "*") { _ in Response(.ok, body: .onceChunks(length: 9, ["abc"])) }
        let response = try await transport.send(.get(base))
        #expect(response.headers[.contentLength] == "9")
        let error = await response.body.chunks().error
        #expect((error as? TransportError)?.kind == .truncatedBody)
    }

    @Test("An error of a stream reaches the reader as it is")
    func streamThrows() async throws {
        transport.on(nil, "*") { _ in Response(.ok, body: .once { throw TestError(text: "stream") }) }
        let response = try await transport.send(.get(base))
        await #expect(throws: TestError(text: "stream")) { try await response.body.collect() }
    }

    @Test(
        "An invalid Content-Length is a malformed response",
        arguments: ["-1", "five", "", "1, 2", "99999999999999999999"]
    )
    func invalid(length: String) async throws {
        transport.enqueue(.status(.ok, headers: [.contentLength: length], body: "abc"))
        let error = try await failure { _ = try await transport.send(.get(base)) }
        let transportError = try #require(error as? TransportError)
        #expect(transportError.kind == .malformedResponse)
        #expect(transportError.sent == .answered)
        #expect(transport.requests.first?.response == nil)
        #expect(transport.requests.first?.error is TransportError)
    }

    @Test("A stream with a negative length declares none and fails when it is read")
    func negativeLength() async throws {
        transport.on(nil, "*") { _ in Response(.ok, body: .onceChunks(length: -1, ["abc"])) }
        let response = try await transport.send(.get(base))
        #expect(response.headers[.contentLength] == nil)
        await #expect(throws: BodyError.self) { try await response.body.collect() }
    }

    @Test("The same Content-Length twice is one")
    func repeated() async throws {
        transport.enqueue(.status(.ok, headers: [.contentLength: "3, 3"], body: "abc"))
        #expect(try await transport.send(.get(base)).body.text() == "abc")
    }

    @Test("1xx, 204 and 304 have no body, whatever the script says", arguments: [100, 103, 204, 304])
    func noContent(code: Int) async throws {
        transport.enqueue(.status(.init(code: code), headers: [.contentLength: "3"], body: "abc"))
        transport.enqueue(.status(.init(code: code), body: "abc"))
        let declared = try await transport.send(.get(base))
        #expect(try await declared.body.collect().isEmpty)
        #expect(declared.headers[.contentLength] == "3")
        let undeclared = try await transport.send(.get(base))
        #expect(try await undeclared.body.collect().isEmpty)
        #expect(undeclared.headers[.contentLength] == nil)
        #expect(transport.requests.map(\.responseBody) == [.complete, .complete])
    }

    @Test("HEAD has no body and keeps the Content-Length that GET would have")
    func head() async throws {
        transport.on(nil, "/file") { _ in Response(.ok, body: "abc") }
        transport.on(nil, "/large") { _ in Response(.ok, headers: [.contentLength: "900"]) }
        let file = try await transport.send(.head(base + "/file"))
        #expect(file.headers[.contentLength] == "3")
        #expect(try await file.body.collect().isEmpty)
        let large = try await transport.send(.head(base + "/large"))
        #expect(large.headers[.contentLength] == "900")
        #expect(try await large.body.collect().isEmpty)
    }

    @Test("A body can be read once, as one from a network")
    func once() async throws {
        transport.on(nil, "*") { _ in Response(.ok, body: "abc") }
        let response = try await transport.send(.get(base))
        #expect(!response.body.isReplayable)
        #expect(try await response.body.text() == "abc")
        let error = try await failure { _ = try await response.body.text() }
        #expect((error as? BodyError)?.problem == .alreadyRead)
    }

    @Test("Repeated fields arrive one by one")
    func repeatedFields() async throws {
        var headers = HTTPFields()
        headers.append(HTTPField(name: .setCookie, value: "a=1"))
        headers.append(HTTPField(name: .setCookie, value: "b=2"))
        transport.enqueue(.status(.ok, headers: headers))
        #expect(try await transport.send(.get(base)).headers[values: .setCookie] == ["a=1", "b=2"])
        #expect(transport.capabilities.contains(.keepsRepeatedFields))
    }
}
