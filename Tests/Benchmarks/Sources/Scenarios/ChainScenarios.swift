public import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes

/// One thing to measure, under the name its figure carries.
public struct Scenario: Sendable {
    /// Its figure's name.
    public let name: String
    /// Does the thing a number of times in a row, on the caller's task.
    public let run: @Sendable (_ count: Int) async throws -> Void

    /// Names what is done a number of times in a row.
    public init(name: String, run: @escaping @Sendable (_ count: Int) async throws -> Void) {
        self.name = name
        self.run = run
    }
}

/// Chains around a transport that answers at once, and the same work with no chain.
public enum ChainScenarios {
    /// Twelve distinct header fields with values too long to be stored inline, as real ones are.
    static let fields: [(name: HTTPField.Name, value: String)] = (1...12).compactMap { number in
        HTTPField.Name("X-Benchmark-Field-\(number)").map { ($0, "the value of benchmark field \(number)") }
    }

    static func request() -> Request {
        .get("https://api.example.com/users/42", headers: [.accept: "application/json"])
    }

    /// `count` stages that do nothing.
    public static func passThrough(_ count: Int, named name: String) throws -> Scenario {
        try chain(Array(repeating: PassThroughStage(), count: count), named: name)
    }

    /// Twelve stages that do nothing: of closures, of closures that consume the request, that take a plain request, and
    /// that are declared without `nonisolated(nonsending)`.
    public static func otherPassThrough() throws -> [Scenario] {
        [
            try chain(
                (1...12).map { ClosureMiddleware("\($0)") { request, next in try await next(request) } },
                named: "chain.12.closure"
            ),
            try chain(
                (1...12).map {
                    ClosureMiddleware.consuming("\($0)") { (request: consuming Request, next: Next) in
                        try await next(request)
                    }
                },
                named: "chain.12.consuming"
            ),
            try chain(Array(repeating: PlainStage(), count: 12), named: "chain.12.plain"),
            try chain(Array(repeating: ConcurrentStage(), count: 12), named: "chain.12.concurrent"),
        ]
    }

    /// Twelve stages that set a header field each.
    public static func headers(named name: String) throws -> Scenario {
        try chain(fields.map { HeaderStage($0.name, $0.value) }, named: name)
    }

    /// The twelve header fields set one after the other, and the transport called, by plain code.
    public static func directHeaders(named name: String) -> Scenario {
        let transport: any Transport = CannedTransport()
        let template = request()
        return Scenario(name: name) { count in
            for _ in 0..<count {
                var request = template
                for field in fields {
                    request.head.headerFields[field.name] = field.value
                }
                _ = try await transport.send(request)
            }
        }
    }

    /// A request through a number of stages that do nothing and over a transport, and the response read to its end.
    public static func roundTrip(
        over transport: some Transport,
        to url: String,
        stages: Int,
        named name: String
    ) throws -> Scenario {
        let chain = try Chain(Array(repeating: PassThroughStage(), count: stages), transport: transport)
        let template = Request.get(url + "/users/42", headers: [.accept: "application/json"])
        return Scenario(name: name) { count in
            for _ in 0..<count {
                let response = try await chain.send(template)
                guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
                _ = try await response.body.collect(upTo: .kibibytes(64))
            }
        }
    }

    /// A request with four options that the last of twelve stages reads, which the chain checks and doesn't.
    public static func options() throws -> [Scenario] {
        let stages: [any Middleware] = Array(repeating: PassThroughStage(), count: 11) + [OptionReadingStage()]
        var request = request()
        request.options[FirstOption.self] = 1
        request.options[SecondOption.self] = 1
        request.options[ThirdOption.self] = 1
        request.options[FourthOption.self] = 1
        let template = request
        return try [("checked", OptionCheck.checked), ("unchecked", .unchecked)].map { name, check in
            let chain = try Chain(stages, transport: CannedTransport(), options: check)
            return Scenario(name: "chain.options.\(name)") { count in
                for _ in 0..<count { _ = try await chain.send(template) }
            }
        }
    }

    private static func chain(_ stages: [any Middleware], named name: String) throws -> Scenario {
        let chain = try Chain(stages, transport: CannedTransport())
        let template = request()
        return Scenario(name: name) { count in
            for _ in 0..<count {
                _ = try await chain.send(template)
            }
        }
    }
}

extension ChainScenarios {
    /// Every chain scenario, by the name of its figure.
    public static func all() throws -> [Scenario] {
        try [
            passThrough(0, named: "chain.0"),
            passThrough(1, named: "chain.1"),
            passThrough(5, named: "chain.5"),
            passThrough(12, named: "chain.12.pass"),
            passThrough(24, named: "chain.24.pass"),
        ] + otherPassThrough() + options() + [
            headers(named: "chain.12.header"),
            directHeaders(named: "direct.12.header"),
            roundTrip(
                over: InMemoryTransport { _ in
                    Response(.ok, headers: [.contentType: "application/json"], body: #"{"id":42,"name":"Ada"}"#)
                },
                to: "https://api.example.com",
                stages: 12,
                named: "inmemory.roundtrip"
            ),
        ]
    }
}

private enum FirstOption: RequestOption { static let defaultValue = 0 }
private enum SecondOption: RequestOption { static let defaultValue = 0 }
private enum ThirdOption: RequestOption { static let defaultValue = 0 }
private enum FourthOption: RequestOption { static let defaultValue = 0 }

private struct OptionReadingStage: DeadlineKeepingMiddleware {
    var optionsRead: [any RequestOption.Type] {
        [FirstOption.self, SecondOption.self, ThirdOption.self, FourthOption.self]
    }

    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await next(request)
    }
}

/// A round trip did not end as it must.
struct UnexpectedStatus: Error {
    let code: Int
}
