#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSerializer
import HTTPTypes
import Testing

@Suite("JSON")
struct JSONTests {
    @Test("A value becomes JSON with its Content-Type, and stays reachable for the stages inside")
    func encodes() async throws {
        let request = try await sent(
            .post(url, body: .value(Plant(name: "Fern"))),
            through: SerializerMiddleware(.json)
        )
        #expect(try await request.body.text() == #"{"name":"Fern"}"#)
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(request.options[EncodedValueNote.self] as? Plant == Plant(name: "Fern"))
        #expect(request.body.isReplayable)
    }

    @Test("A Content-Type that was given is kept, as are bodies that are bytes already")
    func keeps() async throws {
        let given = Request.post(
            url,
            headers: [.contentType: "application/vnd.api+json"],
            body: .value(Plant(name: "Fern"))
        )
        let stage = SerializerMiddleware(.json)
        #expect(try await sent(given, through: stage).head.headerFields[.contentType] == "application/vnd.api+json")
        let bytes = try await sent(.post(url, body: "as it is"), through: stage)
        #expect(try await bytes.body.text() == "as it is")
        #expect(bytes.head.headerFields.isEmpty)
    }

    @Test("The response is decoded to the type expected, and Accept is sent unless given")
    func decodes() async throws {
        let stage = SerializerMiddleware(.json, .form, .text)
        let plant = try await chain(stage, "application/json", #"{"name":"Fern"}"#).send(.get(url), as: Plant.self)
        #expect(plant == Plant(name: "Fern"))
        var request = Request.get(url)
        request.options[ExpectedTypeNote.self] = Plant.self
        let harness = try await accept(request, stage)
        #expect(harness == "application/json, application/x-www-form-urlencoded;q=0.9, text/plain;q=0.8, text/*;q=0.7")
        #expect(try await accept(request.decoding(by: .raw), stage) == "application/octet-stream, */*;q=0.9")
        request.head.headerFields[.accept] = "application/hal+json"
        #expect(try await accept(request, stage) == "application/hal+json")
        #expect(try await accept(.get(url), stage) == nil)
    }

    private func accept(_ request: Request, _ stage: SerializerMiddleware) async throws -> String? {
        let result = Locked<String?>(nil)
        _ = try? await stage.intercept(
            request,
            next: Next(to: Recording { request in result.withLock { $0 = request.head.headerFields[.accept] } })
        )
        return result.withLock { $0 }
    }

    private struct Recording: Transport {
        let record: @Sendable (Request) -> Void
        var capabilities: TransportCapabilities { [] }
        func send(_ request: consuming Request) async throws -> Response {
            record(request)
            return Response(.ok, body: "{}")
        }
    }

    private struct Visit: Codable, Sendable, Hashable {
        var firstName: String
        var visitedAt: Date
    }

    @Test(
        "Key and date styles work both ways",
        arguments: [
            (DateCoding.iso8601, #""2026-01-31T09:30:00Z""#), (.secondsSince1970, "1769851800"),
            (.millisecondsSince1970, "1769851800000"), (.format("yyyy-MM-dd HH:mm"), #""2026-01-31 09:30""#),
            (.foundation, "791544600"),
        ]
    )
    func styles(_ dates: DateCoding, _ written: String) async throws {
        let visit = Visit(firstName: "Ida", visitedAt: Date(timeIntervalSince1970: 1_769_851_800))
        let json = JSONSerializer(keys: .snakeCase, dates: dates, encoder: { $0.outputFormatting = .sortedKeys })
        let stage = SerializerMiddleware(json)
        let text = try await sentText(.post(url, body: .value(visit)), through: stage)
        #expect(text == #"{"first_name":"Ida","visited_at":\#(written)}"#)
        #expect(try await chain(stage, "application/json", HTTPBody(text)).send(.get(url), as: Visit.self) == visit)
    }

    @Test("The encoder and the decoder are set by closures, beside the styles")
    func ownCoders() async throws {
        let stage = SerializerMiddleware(
            .json(
                keys: .snakeCase,
                encoder: {
                    $0.outputFormatting = .sortedKeys
                    $0.dateEncodingStrategy = .secondsSince1970
                },
                decoder: { $0.dateDecodingStrategy = .secondsSince1970 }
            )
        )
        let visit = Visit(firstName: "Ida", visitedAt: Date(timeIntervalSince1970: 7))
        let text = try await sentText(.post(url, body: .value(visit)), through: stage)
        #expect(text == #"{"first_name":"Ida","visited_at":7}"#)
        #expect(try await chain(stage, "application/json", HTTPBody(text)).send(.get(url), as: Visit.self) == visit)
    }

    @Test(
        "Milliseconds since 1970 are written as whole ones",
        arguments: [
            (1_767_225_600.123_456_8, "1767225600123"), (1.0015, "1002"), (-0.0001, "0"), (1e13, "10000000000000000"),
        ]
    )
    func wholeMilliseconds(seconds: Double, written: String) async throws {
        let dates = [Date(timeIntervalSince1970: seconds)]
        let stage = SerializerMiddleware(.json(dates: .millisecondsSince1970))
        #expect(try await sentText(.post(url, body: .value(dates)), through: stage) == "[\(written)]")
    }

    @Test("A date that isn't finite can't be written in milliseconds")
    func infiniteDate() async throws {
        let stage = SerializerMiddleware(.json(dates: .millisecondsSince1970))
        let dates = [Date(timeIntervalSince1970: .infinity)]
        await #expect(throws: (any Error).self) {
            try await sentText(.post(url, body: .value(dates)), through: stage)
        }
    }

    @Test("RFC 3339 with fractions of a second is read")
    func fractions() async throws {
        let stage = SerializerMiddleware(.json(dates: .iso8601))
        let body: HTTPBody = #"["2026-01-31T09:30:00.250Z","2026-01-31T10:30:00+01:00"]"#
        let dates = try await chain(stage, "application/json", body).send(.get(url), as: [Date].self)
        #expect(dates.map(\.timeIntervalSince1970) == [1_769_851_800.25, 1_769_851_800])
        let error = try await #require(throws: DecodingFailure.self) {
            try await chain(stage, "application/json", #"["yesterday"]"#).send(.get(url), as: [Date].self)
        }
        #expect(error.codingPath == "[0]")
    }

    private struct Profile: Codable, Sendable, Hashable {
        var name: String
        var nickname: String?
        var born: Date?
        var links: [String: Link] = [:]
        var best: Link?
        var all: [Link?] = []
    }

    private struct Link: Codable, Sendable, Hashable {
        var url: URL?
        var linkTitle: String?
    }

    @Test("Nil is left out, or null at every depth where wanted, with keys, dates and URLs as before")
    func nulls() async throws {
        let stage = SerializerMiddleware(
            JSONSerializer(
                keys: .snakeCase,
                dates: .iso8601,
                encoder: { $0.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] }
            )
        )
        let profile = Profile(
            name: "Ida",
            born: Date(timeIntervalSince1970: 0),
            links: ["myHome": Link(url: URL(string: "https://a.example/x"))],
            all: [nil, Link(linkTitle: "b")]
        )
        let request = Request.post(url, body: .value(profile))
        #expect(
            try await sentText(request, through: stage)
                == #"{"all":[null,{"link_title":"b"}],"born":"1970-01-01T00:00:00Z","links":{"myHome":{"url":"https://a.example/x"}},"name":"Ida"}"#
        )
        #expect(
            try await sentText(request.encoding(nilAsNull: true), through: stage)
                == #"{"all":[null,{"link_title":"b","url":null}],"best":null,"born":"1970-01-01T00:00:00Z","#
                + #""links":{"myHome":{"link_title":null,"url":"https://a.example/x"}},"name":"Ida","nickname":null}"#
        )
        let always = SerializerMiddleware(.json, encodesNilAsNull: true)
        #expect(
            try await sentText(.post(url, body: .value(Plant(name: "Fern"))), through: always)
                .contains(#""heightInCM":null"#)
        )
        #expect(
            try await sentText(
                .post(url, body: .value(Plant(name: "Fern"))).encoding(nilAsNull: false),
                through: always
            )
                == #"{"name":"Fern"}"#
        )
    }

    private struct Patch: Codable, Sendable, Hashable {
        @NullWhenNil var nickname: String?
        var motto: String?
    }

    @Test("A single property is null when nil, and decodes from null and from nothing")
    func nullWhenNil() async throws {
        let stage = SerializerMiddleware(.json)
        #expect(try await sentText(.post(url, body: .value(Patch())), through: stage) == #"{"nickname":null}"#)
        for text in ["{}", #"{"nickname":null}"#] {
            #expect(try await chain(stage, nil, HTTPBody(text)).send(.get(url), as: Patch.self) == Patch())
        }
        let patch = try await chain(stage, nil, #"{"nickname":"I"}"#).send(.get(url), as: Patch.self)
        #expect(patch.nickname == "I")
    }
}

@Suite("Keys around values")
struct BodyKeyPathTests {
    @Test("A value is taken from a key path, in objects and arrays")
    func keyPaths() async throws {
        let body: HTTPBody =
            #"{"data":{"items":[{"name":"Fern"},{"name":"Ivy"}],"a.b":{"n":1},"when":"1970-01-01T00:00:10Z"}}"#
        let chain = try chain(SerializerMiddleware(.json(dates: .iso8601)), "application/json", body)
        #expect(
            try await chain.send(.get(url).decoding(at: "data.items"), as: [Plant].self).map(\.name) == ["Fern", "Ivy"]
        )
        #expect(try await chain.send(.get(url).decoding(at: "data.items.1"), as: Plant.self).name == "Ivy")
        #expect(try await chain.send(.get(url).decoding(at: "data.items.1.name"), as: String.self) == "Ivy")
        #expect(try await chain.send(.get(url).decoding(at: ["data", "a.b", "n"]), as: Int.self) == 1)
        #expect(
            try await chain.send(.get(url).decoding(at: "data.when"), as: Date.self) == Date(timeIntervalSince1970: 10)
        )
    }

    @Test("The client's key path holds unless the call has its own")
    func clientKeyPath() async throws {
        let stage = SerializerMiddleware(.json, keyPath: "data")
        let chain = try chain(stage, "application/json", #"{"data":{"name":"Fern"},"name":"top"}"#)
        #expect(try await chain.send(.get(url), as: Plant.self).name == "Fern")
        #expect(try await chain.send(.get(url).decoding(at: ""), as: Plant.self).name == "top")
    }

    @Test("A missing key is an error that names it and those there are")
    func missing() async throws {
        let chain = try chain(SerializerMiddleware(.json), "application/json", #"{"data":{"entries":[1],"total":1}}"#)
        let error = try await #require(throws: SerializerError.self) {
            try await chain.send(.get(url).decoding(at: "data.items"), as: [Int].self)
        }
        #expect(
            error.problem
                == .keyPathMissing(key: "items", path: "data.items", place: "data", available: ["entries", "total"])
        )
        #expect(error.reason.contains(#"no key "items" at data, there are entries, total"#))
        #expect(error.exchange?.url == url)
        let index = try await #require(throws: SerializerError.self) {
            try await chain.send(.get(url).decoding(at: "data.entries.3"), as: Int.self)
        }
        #expect(index.reason.contains(#"no key "3" at data.entries"#))
        let inArray = try chainOfArray()
        let within = try await #require(throws: SerializerError.self) {
            try await inArray.send(.get(url).decoding(at: "1.a"), as: Int.self)
        }
        #expect(within.reason.contains(#"no key "a" at 1, there are b"#))
    }

    private func chainOfArray() throws -> Chain {
        try chain(SerializerMiddleware(.json), nil, #"[[],{"b":1}]"#)
    }

    @Test("If an optional is wanted, null and a missing key are nil wherever they are on the way")
    func optional() async throws {
        func value(_ text: String, _ path: BodyKeyPath) async throws -> Plant? {
            try await chain(SerializerMiddleware(.json), nil, HTTPBody(text)).send(
                .get(url).decoding(at: path),
                as: Plant?.self
            )
        }
        #expect(try await value(#"{"data":null}"#, "data") == nil)
        #expect(try await value(#"{"data":null}"#, "data.item") == nil)
        #expect(try await value(#"{"data":{}}"#, "data.item") == nil)
        #expect(try await value(#"{"data":{"item":{"name":"Fern"}}}"#, "data.item")?.name == "Fern")
        for text in ["{}", #"{"date":{}}"#, #"{"data":[]}"#] {
            #expect(try await value(text, "data.0.item") == nil)
        }
        for text in ["{}", #"{"date":{}}"#, #"{"data":{"a":null}}"#, #"{"data":{"a":{}}}"#, "null", "", " "] {
            #expect(try await value(text, "data.a.item") == nil)
        }
        #expect(try await value("[]", "0.item") == nil)
        // Something else on the way is not nothing.
        for text in [#"{"data":5}"#, #"{"data":"item"}"#, "5", #"{"data":{"item":5}}"#, "{"] {
            await #expect(throws: (any Error).self) { try await value(text, "data.item") }
        }
        // Who does not ask for an optional is told what is missing.
        await #expect(throws: SerializerError.self) {
            try await chain(SerializerMiddleware(.json), nil, "{}").send(.get(url).decoding(at: "a.b"), as: Plant.self)
        }
    }

    @Test(
        "White space alone is no content, as no bytes are",
        arguments: ["", " ", "\r\n", " \t\n\r ", String(repeating: "\n", count: 5000)]
    )
    func blank(text: String) async throws {
        for type in [nil, "application/json", "application/problem+json"] {
            let chain = try chain(SerializerMiddleware(.json), type, HTTPBody(text))
            #expect(try await chain.send(.get(url), as: Plant?.self) == nil)
            #expect(try await chain.send(.get(url), as: [Plant]?.self) == nil)
            await #expect(throws: DecodingFailure.self) { try await chain.send(.get(url), as: Plant.self) }
        }
        // No serializer reads HTML, and none has to.
        let html = try chain(SerializerMiddleware(.json, .form), "text/html", HTTPBody(text))
        #expect(try await html.send(.get(url), as: Plant?.self) == nil)
        let plain = try Chain(transport: InMemoryTransport { _ in Response(.ok, body: HTTPBody(text)) }) {}
        #expect(try await plain.send(.get(url), as: Plant?.self) == nil)
        #expect(try await Response(.ok, body: HTTPBody(text)).decode(Plant?.self) == nil)
        await #expect(throws: DecodingFailure.self) { try await Response(.ok, body: HTTPBody(text)).decode(Plant.self) }
    }

    @Test("A decoding failure says the coding path from the top of the body")
    func codingPath() async throws {
        let chain = try chain(SerializerMiddleware(.json), nil, #"{"data":{"items":[{"name":"a"},{"name":1}]}}"#)
        for (path, expected) in [("data.items", "data.items[1].name"), ("data.items.1", "data.items[1].name")] {
            let error = try await #require(throws: DecodingFailure.self) {
                if path == "data.items" {
                    _ = try await chain.send(.get(url).decoding(at: BodyKeyPath(path)), as: [Plant].self)
                } else {
                    _ = try await chain.send(.get(url).decoding(at: BodyKeyPath(path)), as: Plant.self)
                }
            }
            #expect(error.codingPath == expected)
        }
    }

    @Test("A key in snake case is found where the decoder shows it in camel case")
    func snakeCase() async throws {
        let chain = try chain(SerializerMiddleware(.json(keys: .snakeCase)), nil, #"{"all_plants":[{"name":"Fern"}]}"#)
        #expect(try await chain.send(.get(url).decoding(at: "all_plants"), as: [Plant].self).count == 1)
        #expect(try await chain.send(.get(url).decoding(at: "allPlants"), as: [Plant].self).count == 1)
    }

    @Test("A root key is put around the request, of the client or of the call")
    func rootKey() async throws {
        let request = Request.post(url, body: .value(Plant(name: "Fern")))
        let stage = SerializerMiddleware(.json, rootKey: "plant")
        #expect(try await sentText(request, through: stage) == #"{"plant":{"name":"Fern"}}"#)
        #expect(
            try await sentText(request.encoding(under: "data.attributes"), through: stage)
                == #"{"data":{"attributes":{"name":"Fern"}}}"#
        )
        #expect(try await sentText(request.encoding(under: ""), through: stage) == #"{"name":"Fern"}"#)
        let both = try await sentText(request.encoding(nilAsNull: true), through: stage)
        #expect(both.hasPrefix(#"{"plant":{"#) && both.contains(#""heightInCM":null"#))
    }
}
#endif
