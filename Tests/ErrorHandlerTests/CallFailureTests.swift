import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("A call that failed, as a handler sees it")
struct CallFailureTests {
    private struct Lost: Error {}

    @Test("Made by hand, it is what it was made of")
    func made() {
        let bare = CallFailure(Lost())
        #expect(bare.error is Lost && bare.response == nil && bare.status == nil && bare.content == nil)
        let content = ErrorContent(Data("no".utf8), contentType: "Text/Plain; charset=utf-8")
        let whole = CallFailure(Lost(), response: Response(.gone), content: content)
        #expect(whole.status == .gone)
        #expect(whole.content?.bytes == Data("no".utf8) && whole.content?.mediaType == "text/plain")
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
        #expect(ErrorContent(Data(), contentType: contentType).isOfType(patterns) == isOfType)
    }

    @Test("A handler is given the error as it came, the response and its content")
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
        #expect(failures.first?.content?.bytes == Data("taken".utf8))
        #expect(failures.first?.content?.mediaType == "text/plain")
    }
}
