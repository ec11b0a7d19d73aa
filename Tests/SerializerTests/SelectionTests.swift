#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("Which serializer is at work")
struct SelectionTests {
    private let plant = Request.post(url, body: .value(Plant(name: "Fern")))
    private let several = SerializerMiddleware(.json, .form, .propertyList, .text)

    @Test("The first writes, unless the call's Content-Type or the call itself says another")
    func request() async throws {
        #expect(try await sentText(plant, through: several) == #"{"name":"Fern"}"#)
        var typed = plant
        typed.head.headerFields[.contentType] = "application/x-www-form-urlencoded; charset=utf-8"
        #expect(try await sentText(typed, through: several) == "name=Fern")
        #expect(try await sentText(plant.encoding(by: .form), through: several) == "name=Fern")
        #expect(try await sentText(plant.serializer("form"), through: several) == "name=Fern")
        // What the call chooses writes whatever Content-Type the call has.
        typed.head.headerFields[.contentType] = "application/csp-report"
        let chosen = try await sent(typed.encoding(by: .json), through: several)
        #expect(try await chosen.body.text() == #"{"name":"Fern"}"#)
        #expect(chosen.head.headerFields[.contentType] == "application/csp-report")
    }

    @Test("A request of an unsupported type is an error that lists the supported ones; nothing is sent")
    func unknownRequestType() async throws {
        var typed = plant
        typed.head.headerFields[.contentType] = "application/cbor"
        let outcome = await StageHarness(SerializerMiddleware(.json, .form)).send(typed, answering: [])
        let error = try #require(outcome.error as? SerializerError)
        #expect(error.reason.contains("no serializer for the request of type application/cbor"))
        #expect(error.description.contains("JSON (application/json, text/json, */*+json)"))
        #expect(error.description.contains("form (application/x-www-form-urlencoded)"))
        #expect(error.exchange?.method == .post)
    }

    @Test(
        "The response is read by who speaks its Content-Type",
        arguments: [
            ("application/json", #"{"name":"Fern"}"#), ("Application/Problem+JSON; charset=UTF-8", #"{"name":"Fern"}"#),
            ("application/x-www-form-urlencoded", "name=Fern"), (nil, #"{"name":"Fern"}"#),
            (
                "application/x-plist",
                "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>name</key><string>Fern</string></dict></plist>"
            ),
        ]
    )
    func response(_ contentType: String?, _ text: String) async throws {
        #expect(try await chain(several, contentType, HTTPBody(text)).send(.get(url), as: Plant.self).name == "Fern")
    }

    @Test("The call may say who reads the response; an only serializer reads whatever comes")
    func chosen() async throws {
        let text: HTTPBody = #"{"name":"Fern"}"#
        let chain = try chain(several, "text/html", text)
        #expect(try await chain.send(.get(url).decoding(by: .json), as: Plant.self).name == "Fern")
        #expect(try await chain.send(.get(url).serializer("JSON"), as: Plant.self).name == "Fern")
        let lenient = try Chain(transport: chain.transport) { SerializerMiddleware(.json) }
        #expect(try await lenient.send(.get(url), as: Plant.self).name == "Fern")
    }

    @Test("A response of an unsupported type is an error that names it, and so is an unknown serializer name")
    func unknown() async throws {
        let chain = try chain(SerializerMiddleware(.json, .form), "application/cbor", "x")
        let error = try await #require(throws: SerializerError.self) { try await chain.send(.get(url), as: Plant.self) }
        #expect(error.reason.contains("no serializer for the response of type application/cbor"))
        #expect(error.exchange?.response?.status == .ok)
        let named = try await #require(throws: SerializerError.self) {
            try await chain.send(.get(url).serializer("cbor"), as: Plant.self)
        }
        #expect(named.problem == .unknownName("cbor", available: ["JSON", "form"]))
    }

    @Test("Settings for a value are an error if the body is encoded already; nothing is sent")
    func encodedAlready() async throws {
        let request = try Request.post(url, json: Plant(name: "Fern"))
        for (call, names) in [
            (
                request.encoding(under: "data").encoding(nilAsNull: true),
                ["encoding(under:)", "encoding(nilAsNull: true)"]
            ),
            (request.encoding(by: .form), ["encoding(by:)"]),
            (request.afterEncoding(Plant.self) { _, _ in }, ["afterEncoding(_:_:)"]),
            (request.encoding(by: .form).decoding(by: .json), ["encoding(by:)"]),
        ] {
            let outcome = await StageHarness(several).send(call)
            #expect(outcome.requests.isEmpty)
            let error = #expect(throws: SerializerError.self) { try outcome.response() }
            #expect(error?.problem == .unusedSettings(names, of: .request))
        }
        for call in [
            request.encoding(under: "").encoding(nilAsNull: false), request.serializer(.form),
            request.encoding(under: "data").serializer(false), Request.post(url).encoding(under: "data"),
        ] {
            #expect(try await sent(call, through: several).body.text() == call.body.text())
        }
    }

    @Test("Settings for a value reach an inner serializer without an error")
    func encodedOutside() async throws {
        let transport = InMemoryTransport { Response(.ok, body: HTTPBody(try await $0.body.text())) }
        let inner = try Chain(transport: transport) { several }
        let outer = try Chain(transport: inner) { several }
        #expect(try await outer.send(plant.encoding(under: "data")).body.text() == #"{"data":{"name":"Fern"}}"#)
    }

    @Test("Settings for a response are an error if it is a stream of events")
    func eventStream() async throws {
        var request = Request.get(url).decoding(at: "data").afterDecoding(Plant.self) { _ in }.decoding(by: .json)
        request.options[LongLivedResponseNote.self] = true
        let outcome = await StageHarness(several).send(request)
        let error = #expect(throws: SerializerError.self) { try outcome.response() }
        let names = ["decoding(at:)", "decoding(by:)", "afterDecoding(_:_:)"]
        #expect(error?.problem == .unusedSettings(names, of: .response))
        var plain = Request.get(url).serializer(.json)
        plain.options[LongLivedResponseNote.self] = true
        #expect(try await sent(plain, through: several).url == url)
    }

    @Test("Switched off, values and responses are left alone")
    func off() async throws {
        let outcome = await StageHarness(several).send(plant.serializer(false), answering: .ok("text"))
        #expect(outcome.requests.first?.body.value as? Plant == Plant(name: "Fern"))
        #expect(outcome.requests.first?.head.headerFields.isEmpty == true)
        var request = Request.get(url).serializer(false)
        request.options[ExpectedTypeNote.self] = Plant.self
        let response = try await StageHarness(several).send(request, answering: .ok(once("not JSON", chunk: 3)))
            .response()
        #expect(response.options[DecodedValueFact.self] == nil)
        #expect(try await response.body.text() == "not JSON")
    }

    @Test("Switched off, settings for decoding are an error if a type is expected")
    func offWithSettings() async throws {
        let request = Request.get(url).serializer(false)
        for (call, name) in [
            (request.decoding(upTo: 3), "decoding(upTo:)"), (request.decoding(at: "a"), "decoding(at:)"),
            (request.decoding(by: .form), "decoding(by:)"), (request.serializer(.form), "serializer(_:)"),
            (request.afterDecoding(Plant.self) { _ in }, "afterDecoding(_:_:)"),
        ] {
            #expect(try await sent(call, through: several).url == url)
            var typed = call
            typed.options[ExpectedTypeNote.self] = Plant.self
            var events = call
            events.options[LongLivedResponseNote.self] = true
            for call in [typed, events] {
                let outcome = await StageHarness(several).send(call)
                #expect(outcome.requests.isEmpty)
                let error = #expect(throws: SerializerError.self) { try outcome.response() }
                #expect(error?.problem == .unusedSettings([name], of: .response))
            }
        }
    }

    @Test("Where no type is expected, the body is not touched")
    func noExpectation() async throws {
        let response = try await StageHarness(several).send(plant, answering: .ok(once("{", chunk: 1))).response()
        #expect(try await response.body.text() == "{")
    }

    @Test("The bytes stay readable for the stages outside")
    func bytesStay() async throws {
        var request = Request.get(url)
        request.options[ExpectedTypeNote.self] = Plant.self
        let response = try await StageHarness(several).send(
            request,
            answering: .ok(once(#"{"name":"Fern"}"#, chunk: 4))
        ).response()
        #expect(response.options[DecodedValueFact.self] as? Plant == Plant(name: "Fern"))
        #expect(try await response.body.text() == #"{"name":"Fern"}"#)
        #expect(try await response.body.text() == #"{"name":"Fern"}"#)
    }

    @Test("A response over the limit is an error that says so, of the client's limit or the call's")
    func limit() async throws {
        for body: HTTPBody in ["[1,2,3,4,5]", once("[1,2,3,4,5]", chunk: 2)] {
            let error = try await #require(throws: SerializerError.self) {
                try await chain(SerializerMiddleware(.json, limit: 10), nil, body).send(.get(url), as: [Int].self)
            }
            #expect(error.problem == .tooLarge(limit: 10))
        }
        let limited = try chain(SerializerMiddleware(.json, limit: 10), nil, "[1,2,3,4,5]")
        #expect(try await limited.send(.get(url).decoding(upTo: 11), as: [Int].self).count == 5)
    }

    @Test("A response that is still compressed is an error that says what is missing")
    func compressed() async throws {
        let response = Response(.ok, headers: [.contentEncoding: "gzip"], body: "\u{1F}")
        let error = try await #require(throws: SerializerError.self) {
            try await chain(SerializerMiddleware(.json), answering: response).send(.get(url), as: Plant.self)
        }
        #expect(error.description.contains("GzipMiddleware"))
    }

    @Test("A body that breaks on its way is its own error")
    func broken() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.ok, headers: [.contentLength: "100"], body: once("[1,2", chunk: 2)))
        let chain = try Chain(transport: transport) { SerializerMiddleware(.json) }
        let error = try await #require(throws: TransportError.self) { try await chain.send(.get(url), as: [Int].self) }
        #expect(error.kind == .truncatedBody)
    }

    @Test("A decoding failure shows type, place and a piece of the body without its secrets")
    func failure() async throws {
        let text = #"{"password":"hunter2","name":7,"x":""# + String(repeating: "y", count: 1000) + #""}"#
        let error = try await #require(throws: DecodingFailure.self) {
            try await chain(SerializerMiddleware(.json), "application/json", HTTPBody(text)).send(
                .get(url),
                as: Plant.self
            )
        }
        #expect(error.expectedType == "Plant")
        #expect(error.codingPath == "name")
        #expect(error.description.contains(#"it begins: {"password":"<redacted>","name":7"#))
        #expect(!error.description.contains("hunter2"))
        #expect(error.description.count < 600)
        #expect(error.exchange?.response?.headerFields[.contentType] == "application/json")
    }

    private struct Unwritable: Encodable, Sendable {
        var ratio = Double.nan
    }

    @Test("A value that cannot be written is an error with its coding path")
    func notEncodable() async throws {
        let error = try await #require(throws: SerializerError.self) {
            try await sent(.post(url, body: .value(["a": Unwritable()])), through: SerializerMiddleware(.json))
        }
        guard case .notEncodable(_, let serializer, let path, _) = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(serializer == "JSON")
        #expect(path == "a.ratio")
        #expect(error.underlyingError is EncodingError)
    }

    @Test("Without a stage, a typed body is an error that names it")
    func noStage() async throws {
        let chain = try Chain(transport: InMemoryTransport())
        let error = try await #require(throws: InvalidRequestError.self) { try await chain.send(plant) }
        #expect(error.problem == .unserializedBody(type: "Plant"))
    }

    @Test("The chain refuses a stage without serializers, and two serializers of the same name")
    func problems() throws {
        #expect(throws: ChainOrderError.self) { try Chain(transport: InMemoryTransport()) { SerializerMiddleware() } }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) { SerializerMiddleware(.json, .json(keys: .snakeCase)) }
        }
        let chain = try Chain(transport: InMemoryTransport()) {
            SerializerMiddleware(.json, .form, keyPath: "data", rootKey: "a.b", encodesNilAsNull: true)
        }
        let text = chain.explain()
        #expect(text.contains("decode"))
        #expect(text.contains("serializers: JSON, form; limit: 16 MiB; key path: data; root key: a.b; nil: null"))
    }
}

@Suite("No content, through the stage")
struct StageEmptyContentTests {
    private let stage = SerializerMiddleware(.json, keyPath: "data")

    @Test("204, 205, HEAD and no bytes are nil for an optional type and EmptyResponse for that")
    func empty() async throws {
        let responses = [
            Response(.noContent), Response(.resetContent), Response(.ok),
            Response(.ok, body: .replayable(chunks: { Chunks(chunks: []) })),
            Response(.ok, headers: [.contentLength: "0", .contentType: "application/json"]),
        ]
        for response in responses {
            let chain = try chain(stage, answering: response)
            #expect(try await chain.send(.get(url), as: Plant?.self) == nil)
            #expect(try await chain.send(.get(url), as: EmptyResponse.self) == EmptyResponse())
            #expect(try await chain.send(.get(url).decoding(by: .text), as: String.self) == "")
            #expect(try await chain.send(.get(url), as: Data.self) == Data())
            let error = try await #require(throws: DecodingFailure.self) {
                try await chain.send(.get(url), as: Plant.self)
            }
            #expect(error.detail.contains("there is no content"))
        }
        let head = Response(.ok, headers: [.contentLength: "20", .contentType: "application/json"])
        #expect(try await chain(stage, answering: head).send(.head(url), as: Plant?.self) == nil)
    }

    @Test("EmptyResponse ignores the content")
    func ignored() async throws {
        let response = Response(.ok, headers: [.contentType: "text/html"], body: once("<p>done</p>", chunk: 3))
        #expect(
            try await chain(stage, answering: response).send(.delete(url), as: EmptyResponse.self) == EmptyResponse()
        )
    }

    @Test("Null is nil for an optional type and an error for others")
    func null() async throws {
        let chain = try chain(SerializerMiddleware(.json), "application/json", "null")
        #expect(try await chain.send(.get(url), as: Plant?.self) == nil)
        await #expect(throws: DecodingFailure.self) { try await chain.send(.get(url), as: Plant.self) }
    }
}
#endif
