#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes
import Testing

private struct Track: Codable, Sendable, Hashable {
    var title: String
    var albumID: Int?
}

private struct Album: Codable, Sendable, Hashable {
    var id: Int
    var tracks: [Track]
}

private struct Refused: Error, Equatable {}

private let albumText = #"{"id":7,"tracks":[{"title":"a"},{"title":"b"}]}"#

private let wiring = AfterDecoding.of(Album.self) { album in
    for index in album.tracks.indices { album.tracks[index].albumID = album.id }
}

@Suite("After decoding")
struct AfterDecodingTests {
    @Test("A closure wires children to their parent, in a value, an optional and an array")
    func wires() async throws {
        let stage = SerializerMiddleware(.json, afterDecoding: [wiring])
        let one = try await chain(stage, nil, HTTPBody(albumText)).send(.get(url), as: Album.self)
        #expect(one.tracks.map(\.albumID) == [7, 7])
        let maybe = try await chain(stage, nil, HTTPBody(albumText)).send(.get(url), as: Album?.self)
        #expect(maybe?.tracks.map(\.albumID) == [7, 7])
        let none = try await chain(stage, nil, "null").send(.get(url), as: Album?.self)
        #expect(none == nil)
        let many = try await chain(stage, nil, HTTPBody("[\(albumText),\(albumText)]")).send(
            .get(url),
            as: [Album].self
        )
        #expect(many.flatMap { $0.tracks.map(\.albumID) } == [7, 7, 7, 7])
        #expect(try await chain(stage, nil, "[]").send(.get(url), as: [Int].self) == [])
        #expect(try await chain(stage, nil, "[1]").send(.get(url), as: [Int].self) == [1])
    }

    @Test("The closures of the call come after those of the client, and may look at the response")
    func order() async throws {
        let stage = SerializerMiddleware(
            .json,
            afterDecoding: [.of(Int.self) { $0 += 1 }, .of(Int.self) { $0 += $1.status.code }]
        )
        let value = try await chain(stage, nil, "1").send(.get(url).afterDecoding(Int.self) { $0 *= 2 }, as: Int.self)
        #expect(value == 404)
    }

    @Test("A closure of the call for another type than the result's is an error; nothing is sent")
    func otherType() async throws {
        let stage = SerializerMiddleware(.json, afterDecoding: [.of(String.self) { _ in }])
        let change = Request.get(url).afterDecoding(Album.self) { _ in }
        func send(_ type: any (Decodable & Sendable).Type) async -> StageHarness.Outcome {
            var request = change
            request.options[ExpectedTypeNote.self] = type
            return await StageHarness(stage).send(request, answering: .ok("[]"))
        }
        for type in [Track.self, [Track].self, EmptyResponse.self, [[Album]].self] as [any (Decodable & Sendable).Type]
        {
            let outcome = await send(type)
            #expect(outcome.requests.isEmpty)
            let error = #expect(throws: SerializerError.self) { try outcome.response() }
            #expect(error?.problem == .otherType("\(type)", setting: "afterDecoding(Album.self)", of: .response))
        }
        for type in [Album.self, Album?.self, [Album].self, [Album?]?.self] as [any (Decodable & Sendable).Type] {
            #expect(await send(type).requests.count == 1)
        }
        let conforming = Request.get(url).afterDecoding((any Hashable & Sendable).self) { $0 = 7 }
        #expect(try await chain(stage, nil, "1").send(conforming, as: Int.self) == 7)
    }

    @Test("What a closure throws reaches the caller unchanged")
    func refusal() async throws {
        let request = Request.get(url).afterDecoding(Int.self) { _ in throw Refused() }
        await #expect(throws: Refused()) {
            try await chain(SerializerMiddleware(.json), nil, "1").send(request, as: Int.self)
        }
    }
}

@Suite("Data mappers")
struct DataMapperTests {
    private let mapper = DataMapper("tracks", contentType: "text/x-tracks; version=1") { value in
        guard let track = value as? Track else { throw Refused() }
        return Data("title \(track.title)".utf8)
    } decode: { data, type in
        let text = String(decoding: data, as: UTF8.self)
        guard text.hasPrefix("title ") else { throw Refused() }
        return Track(title: String(text.dropFirst(6)))
    }

    @Test("A mapper is chosen by name, and by the Content-Type it reads")
    func chosen() async throws {
        let stage = SerializerMiddleware(.json, mapper)
        let request = Request.post(url, body: .value(Track(title: "x"))).serializer("tracks")
        let written = try await sent(request.encoding(nilAsNull: true), through: stage)
        #expect(try await written.body.text() == "title x")
        #expect(written.head.headerFields[.contentType] == "text/x-tracks; version=1")
        for call in [Request.get(url), .get(url).serializer("tracks")] {
            let track = try await chain(stage, "text/x-tracks", "title y").send(
                call.afterDecoding(Track.self) { $0.albumID = 1 },
                as: Track.self
            )
            #expect(track == Track(title: "y", albumID: 1))
        }
    }

    @Test("Errors of a mapper and values of an unexpected type are separate errors")
    func failures() async throws {
        let stage = SerializerMiddleware(mapper)
        let unwritten = try await #require(throws: SerializerError.self) {
            try await sent(.post(url, body: .value(1)), through: stage)
        }
        #expect(unwritten.underlyingError is Refused)
        let unread = try await #require(throws: DecodingFailure.self) {
            try await chain(stage, nil, "what").send(.get(url), as: Track.self)
        }
        #expect(unread.underlyingError is Refused)
        let other = try await #require(throws: DecodingFailure.self) {
            try await chain(stage, nil, "title x").send(.get(url), as: Album.self)
        }
        #expect(other.detail.contains("made a value of type Track"))
        await #expect(throws: DecodingFailure.self) {
            try await chain(stage, nil, "title x").send(.get(url).decoding(at: "a"), as: Track.self)
        }
        await #expect(throws: SerializerError.self) {
            try await sent(.post(url, body: .value(Track(title: "x"))).encoding(under: "a"), through: stage)
        }
    }

    /// A mapper of JSON that renames a key, and adds the method that it is told.
    private let json = DataMapper("json tracks", contentType: "application/vnd.tracks+json") { value, call in
        guard let track = value as? Track else { throw Refused() }
        return Data(#"{"name":"\#(track.title)","method":"\#(call.method)"}"#.utf8)
    } decode: { data, _, call in
        struct Named: Decodable { var name: String }
        guard call.response?.status == .ok else { throw Refused() }
        if data == Data("null".utf8) { return Track?.none as Any }
        return Track(title: try JSONDecoder().decode(Named.self, from: data).name)
    }

    @Test("JSON of a mapper is put under root keys, and taken from a key path")
    func roots() async throws {
        let stage = SerializerMiddleware(json)
        let request = Request.put(url, body: .value(Track(title: "x"))).encoding(under: ["a\"b", "track"])
        #expect(
            try await sent(request, through: stage).body.text() == #"{"a\"b":{"track":{"name":"x","method":"PUT"}}}"#
        )
        let body: HTTPBody = #"{"data":{"items":[1,{"name":"y/z","count":9007199254740993}],"none":null}}"#
        let track = try await chain(stage, nil, body).send(.get(url).decoding(at: "data.items.1"), as: Track.self)
        #expect(track.title == "y/z")
        for path in ["data.none", "data.none.deeper", "data.other", "data.items.2"] as [BodyKeyPath] {
            #expect(try await chain(stage, nil, body).send(.get(url).decoding(at: path), as: Track?.self) == nil)
        }
        for path in ["data.other", "data.items.2", "data.items.-1", "data.items.0.x"] as [BodyKeyPath] {
            let error = await #expect(throws: SerializerError.self) {
                try await chain(stage, nil, body).send(.get(url).decoding(at: path), as: Track.self)
            }
            guard case .keyPathMissing = error?.problem else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        await #expect(throws: SerializerError.self) {
            try await chain(stage, nil, body).send(.get(url).decoding(at: "data.items.0.x"), as: Track?.self)
        }
        await #expect(throws: DecodingFailure.self) {
            try await chain(stage, nil, "no JSON").send(.get(url).decoding(at: "a"), as: Track.self)
        }
    }
}
#endif
