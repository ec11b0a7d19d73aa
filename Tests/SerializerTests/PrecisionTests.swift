#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPTypes
import Testing

/// Reads whatever type it is given, as its own name.
private struct Echo: Serializer {
    let name: String
    let contentType = "application/x-echo"
    let acceptedTypes: [String]

    func encode(_ value: any Encodable, contentType: String) throws -> Data { Data(name.utf8) }

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data, contentType: String?) throws -> Value {
        guard let value = ["name": name] as? Value else { throw CancellationError() }
        return value
    }
}

@Suite("Which serializer reads what")
struct PrecisionTests {
    @Test(
        "The serializer that names a type most precisely reads it, wherever it is in the list",
        arguments: [
            ("application/json", "exact"), ("application/problem+json", "suffix"), ("model/gltf+json", "any suffix"),
            ("application/pdf", "type"), ("image/png", "any"), ("text/plain", "text"),
        ]
    )
    func precision(contentType: String, expected: String) async throws {
        let stage = SerializerMiddleware(
            Echo(name: "any", acceptedTypes: ["*/*"]),
            Echo(name: "type", acceptedTypes: ["application/*"]),
            Echo(name: "any suffix", acceptedTypes: ["model/*+json"]),
            Echo(name: "suffix", acceptedTypes: ["application/*+json"]),
            Echo(name: "text", acceptedTypes: ["text/*"]),
            Echo(name: "exact", acceptedTypes: ["application/json"])
        )
        let read = try await chain(stage, contentType, "x").send(.get(url), as: [String: String].self)
        #expect(read == ["name": expected])
        let request = Request.post(url, headers: [.contentType: contentType], body: .value(1))
        #expect(try await sentText(request, through: stage) == expected)
    }

    @Test("JSON under any type with the suffix is JSON")
    func anyJSON() async throws {
        let stage = SerializerMiddleware(.json, .text)
        for type in ["model/gltf+json", "application/geo+json", "image/x+json; charset=utf-8"] {
            #expect(try await chain(stage, type, "[1]").send(.get(url), as: [Int].self) == [1])
        }
    }

    @Test(
        "Text and bytes are had of any content",
        arguments: ["application/json", "application/octet-stream", "text/html", "image/svg+xml"]
    )
    func anyContent(contentType: String) async throws {
        let stage = SerializerMiddleware(.json, .form)
        let text = #"{"a": 1}"#
        #expect(try await chain(stage, contentType, HTTPBody(text)).send(.get(url), as: String.self) == text)
        #expect(try await chain(stage, contentType, HTTPBody(text)).send(.get(url), as: Data.self) == Data(text.utf8))
    }

    @Test("A text of JSON's own is its content, and a call that says how to read it is obeyed")
    func ownText() async throws {
        let stage = SerializerMiddleware(.json, .text)
        #expect(try await chain(stage, "application/json", #""a""#).send(.get(url), as: String.self) == "a")
        await #expect(throws: DecodingFailure.self) {
            try await chain(stage, "application/json", "{}").send(.get(url).decoding(by: .json), as: String.self)
        }
        let latin = HTTPBody(Data([0xE9]))
        let type = "application/x-unknown; charset=iso-8859-1"
        #expect(try await chain(stage, type, latin).send(.get(url), as: String.self) == "é")
    }

    @Test("With null for nil, a dictionary or a date at the top is as it is without")
    func topLevel() async throws {
        let json = SerializerMiddleware(.json(keys: .snakeCase))
        let map = Request.post(url, body: .value(["aKey": 1])).encoding(nilAsNull: true)
        #expect(try await sentText(map, through: json) == #"{"aKey":1}"#)
        let rooted = try await sentText(map.encoding(under: "data"), through: json)
        #expect(rooted == #"{"data":{"aKey":1}}"#)
        let date = Request.post(url, body: .value(Date(timeIntervalSince1970: 0))).encoding(nilAsNull: true)
        #expect(try await sentText(date, through: json) == #""1970-01-01T00:00:00Z""#)
    }

    @Test("A key path with words in snake case is found by a decoder that turns them into camel case")
    func keyPath() async throws {
        let stage = SerializerMiddleware(.json(keys: .snakeCase))
        for (path, body) in [
            ("item_list", #"{"item_list":[1]}"#), ("_meta_data.x_y_", #"{"_meta_data":{"x_y_":[1]}}"#),
        ] {
            let call = Request.get(url).decoding(at: BodyKeyPath(path))
            #expect(try await chain(stage, nil, HTTPBody(body)).send(call, as: [Int].self) == [1])
        }
    }
}
#endif
