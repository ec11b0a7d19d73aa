#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes
import Testing

private struct Order: Codable, Sendable, Hashable {
    var id: Int
}

private struct Refused: Error, Equatable {}

@Suite("Closures around the mapping")
struct CallClosureTests {
    private let mapper = DataMapper("told", contentType: "text/x-told") { value, call in
        Data("\(call.method) \(call.route) \(call.contentType ?? "-") \(call.options[Tenant.self])".utf8)
    } decode: { data, _, call in
        "\(String(decoding: data, as: UTF8.self)) \(call.method) \(call.route) \(call.response?.status.code ?? 0)"
    }

    private enum Tenant: RequestOption {
        static var defaultValue: String { "nobody" }
        static func isHarmless(_ value: Value) -> Bool { true }
    }

    @Test("A mapper is told the route, the method, the options and the response")
    func told() async throws {
        let stage = SerializerMiddleware(mapper)
        var request = Request.put("orders/{id}", body: .value(Order(id: 1)))
        request.options[Tenant.self] = "ada"
        #expect(try await sentText(request, through: stage) == "PUT orders/{id} text/x-told ada")
        let read = try await chain(stage, "text/x-told", "body").send(.get(url), as: String.self)
        #expect(read == "body GET \(url) 200")
    }

    @Test("After encoding, closures see the value and change the request: the client's, then the call's")
    func afterEncoding() async throws {
        let stage = SerializerMiddleware(
            .json,
            afterEncoding: [.of(Order.self) { order, request in request.headers[.ifMatch] = "\"\(order.id)\"" }]
        )
        let call = Request.post(url, body: .value(Order(id: 7))).afterEncoding(Order.self) { _, request in
            request.headers[.ifMatch] = (request.headers[.ifMatch] ?? "") + ", \(request.body.length ?? 0)"
        }
        let sentRequest = try await sent(call, through: stage)
        #expect(sentRequest.headers[.ifMatch] == "\"7\", 8")
        #expect(try await sentRequest.body.text() == #"{"id":7}"#)
        let list = try await sent(.post(url, body: .value([Order(id: 1), Order(id: 2)])), through: stage)
        #expect(list.headers[.ifMatch] == "\"2\"")
        let bytes = try await sent(.post(url, body: "bytes"), through: stage)
        #expect(bytes.headers[.ifMatch] == nil)
    }

    @Test("A closure of the call for another type than the value's is an error; nothing is sent")
    func otherType() async throws {
        let stage = SerializerMiddleware(.json, afterEncoding: [.of(String.self) { _, _ in }])
        let change = "afterEncoding(String.self)"
        for (body, type) in [
            (.value(Order(id: 1)), "Order"), (.value([Order(id: 1)]), "Array<Order>"), (.value(1), "Int"),
        ] as [(HTTPBody, String)] {
            let request = Request.post(url, body: body).afterEncoding(String.self) { _, _ in }
            let outcome = await StageHarness(stage).send(request)
            #expect(outcome.requests.isEmpty)
            let error = #expect(throws: SerializerError.self) { try outcome.response() }
            #expect(error?.problem == .otherType(type, setting: change, of: .request))
            #expect(error?.reason.contains("\(change) would have no effect") == true)
        }
        for body in [.value("a"), .value(String?.none), .value([String]()), .value(["a", nil])] as [HTTPBody] {
            _ = try await sent(.post(url, body: body).afterEncoding(String.self) { _, _ in }, through: stage)
        }
        let conforming = Request.post(url, body: .value(1)).afterEncoding((any Hashable & Sendable).self) {
            $1.headers[.ifMatch] = "\"\($0)\""
        }
        #expect(try await sent(conforming, through: stage).headers[.ifMatch] == "\"1\"")
    }

    @Test("What a closure throws reaches the caller unchanged, and nothing is sent")
    func refusal() async throws {
        let stage = SerializerMiddleware(.json, afterEncoding: [.of(Order.self) { _, _ in throw Refused() }])
        await #expect(throws: Refused()) { try await sent(.post(url, body: .value(Order(id: 1))), through: stage) }
    }
}
#endif
