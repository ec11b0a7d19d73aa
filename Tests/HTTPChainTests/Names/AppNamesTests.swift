import AppNames
import Foundation
import HTTPChain
import Testing

// A file of an app: it imports SwiftUI and os (here their names) beside HTTPChain, and qualifies nothing.

private struct UserView: View {
    let name: String
    // `Body` is the view's, and `HTTPBody` is the body of a message.
    var body: Body { Text(name) }
    typealias Body = Text
}

private struct SignedMiddleware: Middleware {
    let log: Logger
    var phase: Phase { .authenticate }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        request.head.headerFields[.userAgent] = log.subsystem
        return try await next(request)
    }
}

private struct FixedTransport: Transport {
    var capabilities: TransportCapabilities { [] }
    func send(_ request: consuming Request) async throws -> Response {
        Response(.ok, body: HTTPBody(request.head.headerFields[.userAgent] ?? ""))
    }
}

@Suite("Names in an app")
struct AppNamesTests {
    @Test("Names in an app stand beside those of SwiftUI and os, and need no module before them")
    func unqualified() async throws {
        let chain = try Chain(transport: FixedTransport()) {
            SignedMiddleware(log: Logger(subsystem: "com.example", category: "network"))
        }
        let response: Response = try await chain.send(.get("https://example.com"))
        let view = UserView(name: try await response.body.text())
        #expect(view.body.content == "com.example")
    }

    // All names that the two modules have in common with nothing of ours: each is found without its module.
    private typealias Unambiguous = (
        Animation, Binding, Button, Color, Divider, Environment, EnvironmentValues, Font, Form, Gauge, Gradient, Group,
        Image, Label, Link, List, Menu, Namespace, OSAllocatedUnfairLock, OSLog, Path, Preview, ProgressView,
        RedactionReasons, RefreshAction, Section, Settings, Shape, State, Table, Transaction, Transition
    )
}
