#if AllTests
import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainOData
import HTTPChainTesting
import TestSupport
import Testing

@Suite("OData batches", .timeLimit(.minutes(10)))
struct BatchTests {
    struct Plant: Codable, Equatable { var name: String }

    /// Sends a batch to a service that answers with the text, and gives what the service got.
    static func exchange(
        _ batch: ODataBatch,
        answer: String,
        _ way: Way = .memory
    ) async throws -> (JSONValue, ODataBatchResponses) {
        let seen = Events<JSONValue>()
        let service = ClosureTransport { request in
            #expect(request.method == .post)
            #expect(request.url == "https://odata.example.com/v4/$batch")
            seen.add(
                try JSONDecoder().decode(JSONValue.self, from: try await request.body.collect(upTo: .mebibytes(1)))
            )
            return Response(.ok, headers: [.contentType: "application/json"], body: HTTPBody(answer))
        }
        let (transport, base) = try await way.transport(
            to: service,
            at: "https://odata.example.com",
            over: URLSessionTransport()
        )
        let chain = try Chain(transport: transport) { URLBuilderMiddleware(base: base + "/v4") }
        let responses = try await chain.send(batch, continuesOnError: true)
        return (try #require(seen.all.first), responses)
    }

    @Test("A response with more fields than a message can hold makes none of a batch")
    func fieldFlood() throws {
        var batch = ODataBatch()
        let id = batch.add(.get("People"))
        func responses(fields count: Int) throws -> ODataBatchResponses {
            let headers = (0..<count).map { "\"X-\($0)\":\"\"" }.joined(separator: ",")
            let text = "{\"responses\":[{\"id\":\"\(id.text)\",\"status\":200,\"headers\":{\(headers)}}]}"
            return try ODataBatchResponses(Data(text.utf8), to: batch)
        }
        #expect(try responses(fields: 10_000)[id].headers.count == 10_000)
        let error = #expect(throws: ODataBatchError.self) { try responses(fields: 70_000) }
        #expect(error?.problem == .notABatch)
    }

    static let urls: [(Request, String)] = [
        (
            .get("People", query: ["$top": 2, "$filter": "Name eq 'A & B'"]),
            "People?%24top=2&%24filter=Name%20eq%20%27A%20%26%20B%27"
        ),
        (.get("People?$count=true", query: ["$top": 2]), "People?$count=true&%24top=2"),
        (.get("People({id})/Friends", path: ["id": 7], query: ["a": "b"]), "People(7)/Friends?a=b"),
        (.get("People('{name}'){?top}", path: ["name": "Zo\u{eb}", "top": 1]), "People('Zo%C3%AB')?top=1"),
        (.get("/v4/:set", path: ["set": "People"]), "/v4/People"),
        (
            .get("https://odata.example.com/v4/{set}", path: ["set": "People"], query: ["a": 1]),
            "https://odata.example.com/v4/People?a=1"
        ),
        (.get("$1/Orders"), "$1/Orders"), (.get("At(2026-01-31T09:30:00Z)"), "At(2026-01-31T09:30:00Z)"),
    ]

    @Test("A request's URL is written complete, with its path variables and query arguments", arguments: 0..<urls.count)
    func completeURL(index: Int) async throws {
        let (request, expected) = Self.urls[index]
        var batch = ODataBatch()
        batch.add(request)
        let body = try await batch.request(to: "$batch").body.collect()
        let sent = try JSONDecoder().decode(JSONValue.self, from: body)
        #expect(sent["requests"]?.array?.first?["url"]?.string == expected)
    }

    @Test("A request of a batch without a value for a variable of its URL is an error")
    func missingVariable() async throws {
        var batch = ODataBatch()
        batch.add(.get("People({id})"))
        let error = await #expect(throws: URLBuilderError.self) { try await batch.request(to: "$batch") }
        #expect(error?.problem == .missingVariable("id"))
    }

    @Test(
        "Several requests go in one exchange, and each has its answer, in whatever order",
        .heavy,
        arguments: Way.allCases
    )
    func roundTrip(way: Way) async throws {
        var batch = ODataBatch()
        let get = batch.add(try ODataQuery<Person>("People").key("ada").request())
        let new = batch.add(Request.post("People", body: .value(Plant(name: "Rose"))), group: "g")
        let note = batch.add(
            Request.post("$\(new)/Notes", headers: [.contentType: "text/plain"], body: "hej"),
            group: "g",
            after: new
        )
        let photo = batch.add(
            Request.put("Photo", headers: [.contentType: "image/png"], body: HTTPBody(Data([0xFB, 0xFF])))
        )
        let missing = batch.add(.get("Missing"))
        let (sent, answers) = try await Self.exchange(
            batch,
            answer: """
                {"responses":[
                {"id":"2","status":201,"headers":{"content-type":"application/json"},"body":{"name":"Rose"}},
                {"id":"1","status":200,"body":{"name":"Ada"}},
                {"id":"3","status":200,"headers":{"content-type":"text/plain"},"body":"ok"},
                {"id":"4","status":404,"body":{"error":{"code":"gone","message":"no photo; token=secret-0123456789abcdef"}}},
                {"id":"99","status":200}]}
                """,
            way
        )
        let requests = try #require(sent["requests"]?.array)
        #expect(requests[0]["method"] == "get" && requests[0]["url"] == "People('ada')")
        #expect(requests[0]["headers"]?["accept"] == "application/json")
        #expect(requests[1]["body"] == ["name": "Rose"] && requests[1]["atomicityGroup"] == "g")
        #expect(requests[1]["headers"]?["content-type"] == "application/json")
        #expect(requests[2]["body"] == "hej" && requests[2]["dependsOn"] == ["2"] && requests[2]["url"] == "$2/Notes")
        #expect(requests[3]["body"] == "-_8")
        #expect(try answers.value(of: get, as: Plant.self) == Plant(name: "Ada"))
        #expect(try answers[new].status == .created)
        #expect(try await answers[note].body.text() == "ok")
        let failure = #expect(throws: ODataBatchError.self) { try answers.value(of: photo, as: Plant.self) }
        guard case .failed(photo, status: 404, let message)? = failure?.problem else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(message.hasPrefix("gone: no photo") && !message.contains("0123456789abcdef"))
        #expect(throws: ODataBatchError.self) { try answers[missing] }
    }

    @Test("The message of a failed request has no characters that control a terminal")
    func printable() async throws {
        var batch = ODataBatch()
        let id = batch.add(.get("People"))
        let answer =
            #"{"responses":[{"id":"1","status":400,"body":{"error":{"code":"a\u001B[2J","message":"b\u009B\u202E\r\nc"}}}]}"#
        let (_, answers) = try await Self.exchange(batch, answer: answer)
        let error = #expect(throws: ODataBatchError.self) { try answers.value(of: id, as: Plant.self) }
        #expect(error?.problem == .failed(id, status: 400, message: "a [2J: b    c"))
    }

    @Test(
        "What is no answer to a batch is an error",
        arguments: [
            "", "[]", #"{"value":[]}"#, #"{"responses":[{"id":"1"}]}"#, #"{"responses":[{"id":"1","status":7}]}"#,
            #"{"responses":[{"status":200}]}"#,
        ]
    )
    func malformed(answer: String) async throws {
        var batch = ODataBatch()
        batch.add(.get("People"))
        let error = await #expect(throws: ODataBatchError.self) { try await Self.exchange(batch, answer: answer) }
        #expect(error?.problem == .notABatch)
    }

    @Test(
        "A service that refuses the whole batch is told from one that answers without a batch",
        arguments: [401, 503, 202]
    )
    func refusedBatch(status: Int) async throws {
        var batch = ODataBatch()
        batch.add(.get("People"))
        let chain = try Chain(
            transport: InMemoryTransport { _ in Response(HTTPResponse.Status(code: status), body: "<html>") }
        ) {
            URLBuilderMiddleware(base: "https://odata.example.com/v4")
        }
        let error = await #expect(throws: ODataBatchError.self) { try await chain.send(batch) }
        #expect(error?.problem == .refused(status: status))
    }

    @Test("Content without a type is sent as bytes, and says so (OData JSON §19.1)")
    func untypedContent() async throws {
        var batch = ODataBatch()
        batch.add(.put("Photo", body: HTTPBody(Data([0xFB, 0xFF]))))
        let body = try await batch.request(to: "$batch").body.collect()
        let sent = try JSONDecoder().decode(JSONValue.self, from: body)["requests"]?.array?.first
        #expect(sent?["body"]?.string == "-_8")
        #expect(sent?["headers"]?["content-type"]?.string == "application/octet-stream")
    }

    @Test("A request with two answers, and one with none, are errors that name it")
    func miscounted() async throws {
        var batch = ODataBatch()
        let first = batch.add(.get("People"))
        let second = batch.add(.get("Plants"))
        let twice = #"{"responses":[{"id":"1","status":200},{"id":"1","status":200}]}"#
        let error = await #expect(throws: ODataBatchError.self) { try await Self.exchange(batch, answer: twice) }
        #expect(error?.problem == .answeredTwice(first))
        let (_, answers) = try await Self.exchange(batch, answer: #"{"responses":[{"id":"1","status":200}]}"#)
        #expect(try answers[first].status == .ok)
        let missing = #expect(throws: ODataBatchError.self) { try answers[second] }
        #expect(missing?.problem == .notAnswered(second))
    }

    struct Payment: Codable, Equatable {
        var id: UInt64
        var amount: Decimal
        var date: Date
    }

    @Test("Numbers keep their digits, and dates are RFC 3339, in both directions")
    func numbersAndDates() async throws {
        let payment = Payment(
            id: .max,
            amount: try #require(Decimal(string: "123456789012345.6789")),
            date: Date(timeIntervalSince1970: 1_769_851_800)
        )
        var batch = ODataBatch()
        let text = #"{"amount":123456789012345.6789,"date":"2026-01-31T09:30:00Z","id":18446744073709551615}"#
        let value = batch.add(Request.post("Payments", body: .value(payment)))
        batch.add(.post("Payments", headers: [.contentType: "application/json"], body: HTTPBody(text)))
        let (sent, responses) = try await Self.exchange(
            batch,
            answer: #"{"responses":[{"id":"1","status":200,"body":\#(text)}]}"#
        )
        let expected: JSONValue = [
            "amount": .decimal(payment.amount), "date": "2026-01-31T09:30:00Z", "id": .decimal(Decimal(UInt64.max)),
        ]
        #expect(sent["requests"]?[0]?["body"] == expected)
        #expect(sent["requests"]?[1]?["body"] == expected)
        #expect(try responses.value(of: value, as: Payment.self) == payment)
    }

    static let optioned: [(Request, String)] = [
        (.get("People").headers(.set("X-A", to: "b")), ".headers(_:)"),
        (.get("People").timeout(.seconds(1)), ".timeout(_:)"),
        (.get("People").retry(idempotencyKey: true), ".retry(idempotencyKey:)"),
        (
            Request.post("People", body: .value(Plant(name: "Rose"))).serializer(.json(keys: .snakeCase)),
            "a serialization of the call"
        ),
    ]

    @Test("A request with an option that would have no effect in a batch is an error", arguments: 0..<optioned.count)
    func unsupportedOption(index: Int) async throws {
        let (request, option) = Self.optioned[index]
        var batch = ODataBatch()
        let id = batch.add(request)
        let error = await #expect(throws: ODataBatchError.self) { try await batch.request(to: "$batch") }
        #expect(error?.problem == .unsupportedOptions(id, [option]))
    }

    @Test("An option that has no effect anywhere is fine in a batch")
    func harmlessOption() async throws {
        var batch = ODataBatch()
        batch.add(.get("People", query: ["$top": 1]).retry(.never))
        let body = try await batch.request(to: "$batch").body.text()
        #expect(body.contains("top=1"))
    }

    @Test(
        "Text is sent and received in the charset of its Content-Type",
        arguments: [
            ("text/plain; charset=iso-8859-1", [0x63, 0x61, 0x66, 0xE9]),
            ("text/plain; charset=\"UTF-8\"", [0x63, 0x61, 0x66, 0xC3, 0xA9]),
            ("text/plain", [0x63, 0x61, 0x66, 0xC3, 0xA9]),
            ("text/csv; charset=utf-16be", [0, 0x63, 0, 0x61, 0, 0x66, 0, 0xE9]),
        ] as [(String, [UInt8])]
    )
    func charset(type: String, bytes: [UInt8]) async throws {
        var batch = ODataBatch()
        let id = batch.add(.post("Notes", headers: [.contentType: type], body: HTTPBody(Data(bytes))))
        let body = try await batch.request(to: "$batch").body.collect()
        let sent = try JSONDecoder().decode(JSONValue.self, from: body)["requests"]?.array?.first
        #expect(sent?["body"]?.string == "caf\u{e9}")
        #expect(sent?["headers"]?["content-type"]?.string == type)
        let response = JSONValue.object([
            "id": .string("\(id)"), "status": 200, "headers": ["content-type": .string(type)], "body": "caf\u{e9}",
        ])
        let answer = try JSONEncoder().encode(JSONValue.object(["responses": .array([response])]))
        let received = try ODataBatchResponses(answer, to: batch)[id]
        #expect(received.body.bytes == Data(bytes))
        #expect(received.headers[.contentType] == type)
    }

    @Test(
        "Text that isn't in the charset of its Content-Type isn't sent",
        arguments: ["text/plain", "text/plain; charset=us-ascii", "text/plain; charset=klingon"]
    )
    func otherCharset(type: String) async throws {
        var batch = ODataBatch()
        batch.add(.post("Notes", headers: [.contentType: type], body: HTTPBody(Data([0x63, 0xE9]))))
        let error = await #expect(throws: EncodingError.self) { try await batch.request(to: "$batch") }
        guard case .invalidValue(_, let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription.contains("request 1 is not text in the charset of \(type)"))
    }

    @Test(
        "Text that its declared charset can't have is received in UTF-8, and its Content-Type says so",
        arguments: ["text/plain; charset=us-ascii", "text/plain; charset=klingon"]
    )
    func correctedCharset(type: String) throws {
        var batch = ODataBatch()
        let id = batch.add(.get("Notes"))
        let answer =
            #"{"responses":[{"id":"1","status":200,"headers":{"content-type":"\#(type)"},"body":"caf\#u{e9}"}]}"#
        let received = try ODataBatchResponses(Data(answer.utf8), to: batch)[id]
        #expect(received.body.bytes == Data("caf\u{e9}".utf8))
        #expect(received.headers[.contentType] == "text/plain; charset=utf-8")
    }

    @Test("A batch of nothing sends nothing")
    func empty() async throws {
        let transport = ClosureTransport { _ in
            Issue.record("something was sent")
            return Response(.ok)
        }
        _ = try await transport.send(ODataBatch())
    }

    @Test("The error of a service is one through the error handler")
    func errors() async throws {
        let chain = try Chain(
            transport: ClosureTransport { _ in
                Response(
                    .badRequest,
                    headers: [.contentType: "application/json"],
                    body: #"{"error":{"code":"501","message":"unsupported function","target":"$filter"}}"#
                )
            }
        ) {
            ErrorHandlerMiddleware(.oData)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://odata.example.com/v4")
        }
        let query = ODataQuery<Person>("People").filter(.function("matchesPattern", .property(\.name), .value("x")))
        do {
            _ = try await chain.send(query.request(), as: ODataPage<Person>.self)
            Issue.record("there was no error")
        } catch {
            #expect("\(error)".contains("unsupported function"))
        }
    }
}
#endif
