#if AllTests && Macros
import Foundation
import HTTPChainInMemory
import HTTPChainMacros
import HTTPTypes
import TestSupport
import Testing

/// A processor that says where it was.
struct Marker: RequestProcessor {
    func process(_ request: inout Request) async throws { request.headers[.referer] = "https://marker.example/" }
}

/// A builder of URLs that has a way of its own.
struct ShelfURL: URLBuilding {
    func url(for call: URLBuildingCall) async throws -> String { "https://shelf.example/fixed" }
}

/// A builder of URLs that is told where to send a call.
struct RegionalURL: URLBuilding {
    func url(for call: URLBuildingCall) async throws -> String {
        guard case .string(let region)? = call.arguments.reserved["region"] else { return try call.standardURL() }
        return try call.standardURL(base: "https://\(region).tools.example/v2", reference: "regional")
    }
}

/// A builder of URLs that reads values of any type.
struct DaysURL: URLBuilding {
    func url(for call: URLBuildingCall) async throws -> String {
        let days = call.arguments.reservedValues["days"] as? ClosedRange<Int>
        let plant = call.arguments.reservedValues["plant"] as? Plant
        let text = days.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "all"
        let reference = "reports/\(text)/\(plant?.name ?? "none")"
        return try call.standardURL(base: "https://tools.example", reference: reference)
    }
}

/// What a stage makes of each annotation, one method for each.
@Service(base: "https://tools.example")
protocol ToolService {
    @POST("serialized") @Body("tool") @Serializer(.form)
    func serialized(_ tool: Plant) async throws

    @GET("handled") @ErrorHandlers(.fallback([Plant](), for: [404]))
    func handled() async throws -> [Plant]

    @GET("cached") @Caching(maxAge: .seconds(60))
    func cached() async throws -> String

    @GET("cached") @Caching(.off)
    func uncached() async throws -> String

    @GET("authenticated") @Authentication(by: "admin")
    func authenticated() async throws

    @GET("retried") @Retry(.never)
    func retried() async throws

    @GET("redirected") @Redirects(.never) @Statuses(only: 302)
    func redirected() async throws

    @GET("processed") @Processing(by: Marker()) @URLBuiltBy(ShelfURL())
    func processed() async throws

    @POST("regional") @Reserved("region", from: "place") @Reserved("zone") @Query("page") @Field("name")
    @URLBuiltBy(RegionalURL())
    func regional(place: String?, zone: Int, page: Int, name: String) async throws

    @GET("reports") @Reserved("days", "plant") @URLBuiltBy(DaysURL())
    func reports(days: ClosedRange<Int>, plant: Plant?) async throws

    @GET("limited") @Timeout(.seconds(3)) @Timeout(attempt: .seconds(1))
    func limited() async throws

    @GET("cookies") @Cookies(.off)
    func withoutCookies() async throws
}

@Suite("Stages do what a declaration says", .timeLimit(.minutes(10)))
struct DeclaredStagesTests {
    private let transport = InMemoryTransport()

    private func tools() throws -> ToolServiceClient {
        let origin = "https://tools.example"
        let visitor = BasicAuthMiddleware(user: "ada", password: "secret", for: origin)
        let admin = BasicAuthMiddleware(user: "root", password: "secret", for: origin)
        return ToolServiceClient(
            chain: try Chain(transport: transport, options: .unchecked) {
                ErrorHandlerMiddleware()
                TimeoutMiddleware(.seconds(60))
                SerializerMiddleware(.json)
                StatusValidationMiddleware()
                URLBuilderMiddleware(base: "https://elsewhere.example")
                RequestProcessorMiddleware()
                RedirectMiddleware()
                CookieMiddleware()
                CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: .shared)
                RetryMiddleware()
                RoutedAuthMiddleware([
                    AuthRoute("admin", for: origin, under: "/admin", with: admin),
                    AuthRoute("visitor", for: origin, with: visitor),
                ])
            }
        )
    }

    private func sent() throws -> RecordedRequest { try #require(transport.requests.last) }

    @Test("The serializer of the call encodes its body")
    func serializer() async throws {
        transport.enqueue(.status(.noContent))
        try await tools().serialized(Plant(id: 7, name: "Yew & Oak"))
        #expect(try sent().text == "id=7&name=Yew+%26+Oak")
    }

    @Test("An error handler of the call makes a value of a failure")
    func errorHandler() async throws {
        transport.enqueue(.status(.notFound))
        #expect(try await tools().handled() == [])
    }

    @Test("A response is stored for the time that is declared, or not at all")
    func cache() async throws {
        let tools = try tools()
        transport.enqueue([.text("first"), .text("second")])
        #expect(try await tools.cached() == "first")
        #expect(try await tools.cached() == "first")
        #expect(try await tools.uncached() == "second")
        #expect(transport.requests.count == 2)
    }

    @Test("An authenticator is chosen by its name")
    func authenticator() async throws {
        transport.enqueue([
            .status(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"tools\""]), .status(.noContent),
        ])
        try await tools().authenticated()
        let credentials = Data("root:secret".utf8).base64EncodedString()
        #expect(try sent().headers[.authorization] == "Basic \(credentials)")
    }

    @Test("A call that is never retried or redirected is sent once")
    func once() async throws {
        transport.enqueue([.status(.serviceUnavailable), .status(.found, headers: [.location: "/elsewhere"])])
        await #expect(throws: StatusError.self) { try await tools().retried() }
        try await tools().redirected()
        #expect(transport.requests.map(\.url) == ["https://tools.example/retried", "https://tools.example/redirected"])
    }

    @Test("A processor changes the request, and a builder makes its URL")
    func processor() async throws {
        transport.enqueue(.status(.noContent))
        try await tools().processed()
        #expect(try sent().url == "https://shelf.example/fixed")
        #expect(try sent().headers[.referer] == "https://marker.example/")
    }

    @Test("A builder alone reads the parameters that are reserved for it: nothing else of the request has them")
    func reserved() async throws {
        transport.enqueue(.status(.noContent), times: 2)
        try await tools().regional(place: "eu", zone: 8, page: 2, name: "Yew")
        let request = try sent()
        #expect(request.url == "https://eu.tools.example/v2/regional?page=2" && request.text == #"{"name":"Yew"}"#)
        #expect(!request.headers.contains { $0.value.contains("eu") })
        try await tools().regional(place: nil, zone: 8, page: 2, name: "Yew")
        #expect(try sent().url == "https://tools.example/regional?page=2")
        let made = try tools().calls.regional(place: "eu", zone: 8, page: 2, name: "Yew").request.makeRequest()
        #expect(made.urlArguments.reserved == ["region": "eu", "zone": 8])
    }

    @Test("Parameters of any type can be reserved for a builder, and one that is nil is not there")
    func reservedValues() async throws {
        transport.enqueue(.status(.noContent), times: 2)
        try await tools().reports(days: 3...7, plant: Plant(id: 7, name: "Yew"))
        #expect(try sent().url == "https://tools.example/reports/3-7/Yew")
        try await tools().reports(days: 3...7, plant: nil)
        #expect(try sent().url == "https://tools.example/reports/3-7/none")
        let made = try tools().calls.reports(days: 3...7, plant: nil).request.makeRequest()
        #expect(made.urlArguments.reserved == [:] && made.urlArguments.reservedValues.keys.sorted() == ["days"])
    }

    @Test("Limits of time are those of the call")
    func limits() async throws {
        transport.enqueue(.status(.noContent))
        try await tools().limited()
        #expect(try sent().options[TimeoutOption.self] == .value(.seconds(3)))
        #expect(try sent().options[AttemptTimeoutOption.self] == .value(.seconds(1)))
    }

    @Test("A call without cookies sends none, and keeps none")
    func cookies() async throws {
        let tools = try tools()
        transport.enqueue(
            [.status(.noContent, headers: [.setCookie: "a=b"]), .status(.noContent), .status(.noContent)]
        )
        try await tools.limited()
        try await tools.withoutCookies()
        #expect(try sent().headers[.cookie] == nil)
        try await tools.limited()
        #expect(try sent().headers[.cookie] == "a=b")
    }
}
#endif
