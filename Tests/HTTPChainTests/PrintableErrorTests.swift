#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import HTTPChainOAuth
import HTTPChainPagination
import HTTPChainRoutes
import Testing

/// Text of a server that clears a terminal, turns the direction of writing and begins a line.
private let hostile = "a\u{1B}[2Jb\u{9B}31m\u{202E}c\r\nd"

/// An error with text from outside.
struct ErrorWithText: Sendable, CustomTestStringConvertible {
    let name: String
    let error: @Sendable () async throws -> any HTTPChainError

    var testDescription: String { name }

    static let all = [
        ErrorWithText(name: "DecodingFailure") {
            DecodingFailure(
                Int.self,
                from: Data(hostile.utf8),
                head: HTTPResponse(status: .ok, headerFields: [.contentType: hostile]),
                codingPath: hostile,
                detail: hostile
            )
        },
        ErrorWithText(name: "TransportError") { TransportError(.other, detail: hostile) },
        ErrorWithText(name: "LostUpdateError") { LostUpdateError(resourceType: "Plant", entityTag: hostile) },
        ErrorWithText(name: "OAuthError") { OAuthError(.refused(hostile, detail: hostile)) },
        ErrorWithText(name: "ServiceError") {
            let body = try JSONEncoder().encode(["title": hostile, "detail": hostile])
            let transport = InMemoryTransport { _ in
                Response(.badRequest, headers: [.contentType: "application/problem+json"], body: HTTPBody(body))
            }
            let chain = try Chain(transport: transport) {
                ErrorHandlerMiddleware(.problemDetails)
                StatusValidationMiddleware()
            }
            return try await #require(throws: ServiceError<ProblemDetails>.self) {
                try await chain.send(.get("https://a.example/"))
            }
        },
        ErrorWithText(name: "PaginationError") {
            let transport = InMemoryTransport { _ in
                Response(.ok, headers: [.contentType: "application/json"], body: "[1]")
            }
            let chain = try Chain(transport: transport) { SerializerMiddleware(.json) }
            let pages = chain.pages(
                of: [Int].self,
                from: .get("https://a.example/"),
                by: .custom { _ in .url("ftp://a.example/\(hostile)") }
            )
            return try await #require(throws: PaginationError.self) { for try await _ in pages {} }
        },
        ErrorWithText(name: "RouteTableError") {
            let name = try JSONEncoder().encode(hostile)
            let file = Data("{\"routes\":{".utf8) + name + Data(":{\"method\":".utf8) + name + Data("}}}".utf8)
            return try #require(throws: RouteTableError.self) { try RouteTable(json: file) }
        },
    ]
}

@Suite("Errors with text from outside")
struct PrintableErrorTests {
    @Test("A reason has no characters that control a terminal", arguments: ErrorWithText.all)
    func reason(_ item: ErrorWithText) async throws {
        let reason = try await item.error().reason
        #expect(reason.contains("[2Jb"))
        for control in ["\u{1B}", "\u{9B}", "\u{202E}", "\r"] {
            #expect(!reason.unicodeScalars.contains(control.unicodeScalars), "\(reason.debugDescription)")
        }
    }
}
#endif
