import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("A call that failed, as a handler sees it")
struct CallFailureTests {
    private struct Lost: Error {}

    @Test("A failure made by hand has the error, response and content that it was made from")
    func made() {
        let bare = CallFailure(Lost())
        #expect(bare.error is Lost && bare.response == nil && bare.status == nil && bare.content == nil)
        let response = Response(.gone, headers: [.contentType: "Text/Plain; charset=utf-8"])
        let whole = CallFailure(Lost(), response: response, content: Data("no".utf8))
        #expect(whole.status == .gone)
        #expect(whole.content == Data("no".utf8) && whole.mediaType == "text/plain")
    }

    private struct Refusal: Error, Codable, Equatable {
        var code: String
        var date: Date?
    }

    private static func failure(_ bytes: [UInt8], as contentType: String? = nil) -> CallFailure {
        let headers: HTTPFields = contentType.map { [.contentType: $0] } ?? [:]
        return CallFailure(Lost(), response: Response(.conflict, headers: headers), content: Data(bytes))
    }

    @Test("The content of a failure is decoded to a type and read as text, whatever its media type")
    func content() {
        let json = Self.failure(Array(#"{"code":"sold","date":7}"#.utf8), as: "text/html")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        #expect(
            json.decode(Refusal.self, decoder: decoder)
                == Refusal(code: "sold", date: Date(timeIntervalSince1970: 7))
        )
        #expect(json.decode(Refusal.self)?.code == "sold")
        #expect(json.text == #"{"code":"sold","date":7}"#)
    }

    @Test("Content that is missing, of another type or not UTF-8 has neither a value nor text")
    func otherContent() {
        #expect(CallFailure(Lost()).decode(Refusal.self) == nil && CallFailure(Lost()).text == nil)
        #expect(Self.failure([]).decode(Refusal.self) == nil && Self.failure([]).text == "")
        #expect(Self.failure(Array("[]".utf8)).decode(Refusal.self) == nil)
        #expect(Self.failure([0xFF]).decode(Refusal.self) == nil && Self.failure([0xFF]).text == nil)
        #expect(Self.failure(Array(repeating: UInt8(ascii: "["), count: 100_000)).decode(Refusal.self) == nil)
    }

    @Test("A handler throws the error that the content is")
    func thrown() async throws {
        let stage = ErrorHandlerMiddleware(.throwing { failure in failure.decode(Refusal.self) })
        let error = await #expect(throws: Refusal.self) {
            _ = try await send(answered: .conflict, #"{"code":"sold"}"#, as: "application/json", through: stage)
        }
        #expect(error?.code == "sold")
    }

    @Test(
        "Content falls under the patterns of its type",
        arguments: [
            ("application/problem+json", ["application/problem+json"], true),
            ("application/problem+json; charset=utf-8", ["application/*+json"], true),
            ("APPLICATION/JSON", ["text/html", "application/json"], true), ("text/html", ["application/json"], false),
            (nil, ["*/*"], false), ("text/html", [], false),
        ] as [(String?, [String], Bool)]
    )
    func types(contentType: String?, patterns: [String], isOfType: Bool) {
        #expect(Self.failure([], as: contentType).isOfType(patterns) == isOfType)
    }

    @Test("A handler receives the unchanged error, the response and its content")
    func seen() async throws {
        let seen = Locked<[CallFailure]>([])
        let stage = ErrorHandlerMiddleware(
            ErrorHandler("looks") { failure in
                seen.withLock { $0.append(failure) }
                return .pass
            }
        )
        await #expect(throws: StatusFailure.self) {
            _ = try await send(answered: .conflict, "taken", as: "text/plain", through: stage)
        }
        await #expect(throws: Lost.self) { _ = try await send(failing: Lost(), through: stage) }
        let failures = seen.withLock { $0 }
        #expect(failures.map(\.status) == [.conflict, nil])
        #expect(failures.first?.error is StatusFailure && failures.last?.error is Lost)
        #expect(failures.first?.content == Data("taken".utf8))
        #expect(failures.first?.mediaType == "text/plain")
    }
}
