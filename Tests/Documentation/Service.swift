// The service in memory that the blocks of the pages talk to when they run, and values of types for names of one page.
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import HTTPChainOAuth
import HTTPChainOData
import HTTPChainRoutes
import HTTPTypes
import Logging
import Metrics

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers what the blocks ask for.
package let service: InMemoryTransport = {
    let service = InMemoryTransport()
    service.on(nil, "/*") { request in try await answer(request) }
    return service
}()

private let rose = #"{"id":7,"name":"Rose","height":150,"token":"t"}"#
private let ivy = #"{"id":8,"name":"Ivy","height":300}"#
private let ada = #"{"id":42,"name":"Ada","age":36}"#
private let gardener = #"{"id":5,"name":"Ada","plot":"north","since":2019,"nickname":"Rosie","note":"new"}"#

/// What a GET of a list, or a request of a single address, is answered with: by the last segment of the path.
private let lists: [String: String] = [
    "catalog": "{\"items\":[\(rose),\(ivy)],\"data\":{\"items\":[\(rose),\(ivy)]}}",
    "plants": "[\(rose),\(ivy)]",
    "users": #"[{"id":42,"name":"Ada"},{"id":43,"name":"Mary"},{"id":44,"name":"Ida"}]"#,
    "gardeners": "[\(gardener)]",
    "People": "{\"@odata.count\":1,\"value\":[\(ada)]}",
    "leaves": "[\(rose),\(ivy)]",
    "books": #"["Emma","Persuasion"]"#,
    "sites": #"["garden","forest"]"#,
    "session": #"{"token":"t","expires":800000000,"expiration":800000000}"#,
    "registrations": #"{"data":{"user":{"id":1,"name":"Ada"}}}"#,
    "beds": #"{"name":"North","parts":[{"name":"Roses"},{"name":"Herbs"}]}"#,
    "today": "1;2;3",
    "token": #"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#,
    "device": """
    {"device_code":"d","user_code":"u","verification_uri":"https://auth.example.com/device",
    "expires_in":60,"interval":1}
    """,
    "oauth-authorization-server": """
    {"issuer":"https://auth.example.com","authorization_endpoint":"https://auth.example.com/authorize",
    "token_endpoint":"https://auth.example.com/token","revocation_endpoint":"https://auth.example.com/revoke",
    "device_authorization_endpoint":"https://auth.example.com/device","response_types_supported":["code"],
    "code_challenge_methods_supported":["S256"]}
    """,
]

/// What one of a list is answered with: by the segment before the last.
private let single: [String: String] = [
    "plants": rose,
    "catalog": rose,
    "users": #"{"id":42,"name":"Ada"}"#,
    "gardeners": gardener,
    "orders": #"{"id":7}"#,
    "documents": #"{"title":"Roses"}"#,
    "trees": #"{"id":5,"name":"Elm","height_cm":900}"#,
]

/// The types of what is not JSON, by the last segment of the path.
private let types: [String: String] = ["today": "text/x-numbers"]

private func answer(_ request: Request) async throws -> Response {
    let segments = (request.url.split(separator: "?").first ?? "").split(separator: "/").map(String.init)
    let last = segments.last ?? ""
    let above = segments.dropLast().last ?? ""
    if let upload = try await uploadAnswer(to: request) { return upload }
    switch last {
    case "changes", "chat", "ask":
        // The second time, which names the last event, there is no more to come.
        if let field = HTTPField.Name("Last-Event-ID"), request.headers[field] != nil { return Response(.noContent) }
        let done = last == "changes" ? "" : "data: [DONE]\n\n"
        return Response(
            .ok,
            headers: [.contentType: "text/event-stream"],
            body: HTTPBody("retry: 1\nid: 1\ndata: \(rose)\n\n" + done)
        )
    case "events" where request.method == .get:
        return Response(.ok, headers: [.contentType: "application/jsonl"], body: "{\"amount\":1}\n{\"amount\":2}\n")
    case _ where request.method == .put && above == "plants":
        return Response(.noContent)
    case "plants.jsonl", "export":
        return Response(.ok, headers: [.contentType: "application/jsonl"], body: HTTPBody("\(rose)\n\(ivy)\n"))
    case "$batch":
        return json(try await answers(to: request))
    case _ where segments.contains("shop.example.com"):
        return Response(.ok, headers: [.contentType: "application/xml"], body: "<order><id>7</id></order>")
    case _ where segments.dropLast().contains("pages"), "profile", "weather", "revision":
        return Response(.ok, headers: [.contentType: "text/plain"], body: "A page")
    default:
        break
    }
    if let type = types[last] { return Response(.ok, headers: [.contentType: type], body: HTTPBody(lists[last] ?? "")) }
    if let content = request.method == .get ? lists[last] : single[last] ?? lists[last] { return json(content) }
    return json(single[above] ?? rose)
}

/// The answer to a request of an upload that can be continued; nil to any other.
private func uploadAnswer(to request: Request) async throws -> Response? {
    func number(_ field: String) -> Int? { HTTPField.Name(field).flatMap { request.headers[$0] }.flatMap { Int($0) } }
    let fields = ["Upload-Offset", "Upload-Complete"].compactMap { HTTPField.Name($0) }
    if number("Upload-Length") != nil { return Response(.created, headers: [.location: "/uploads/1"]) }
    guard let offset = number("Upload-Offset") else { return nil }
    let end = offset + (try await request.body.collect()).count
    return Response(.noContent, headers: [fields[0]: "\(end)", fields[1]: request.headers[fields[1]] ?? "?0"])
}

private func json(_ text: String) -> Response {
    Response(.ok, headers: [.contentType: "application/json"], body: HTTPBody(text))
}

/// The answers to the requests of a batch: to each a list of people, or the one that was sent.
private func answers(to batch: Request) async throws -> String {
    struct Batch: Decodable {
        struct Part: Decodable { var id: String; var method: String }
        var requests: [Part]
    }
    let content = try await batch.body.collect(upTo: .mebibytes(1))
    let parts = try JSONDecoder().decode(Batch.self, from: content).requests.map { part in
        let answer = part.method.uppercased() == "GET" ? lists["People"] ?? "{}" : ada
        return "{\"id\":\"\(part.id)\",\"status\":200,\"body\":\(answer)}"
    }
    return "{\"responses\":[\(parts.joined(separator: ","))]}"
}

/// A file of routes.
private let routes = """
    {
      "service": { "protocol": "https", "host": "example.com", "port": 443 },
      "environments": { "test": { "host": "test.example.com" } },
      "routes": {
        "doc": { "path": "documents/{uniqueId}" },
        "info": { "path": "info", "cacheTTL": 3600 },
        "login": { "method": "POST", "path": "login", "preventsUserInteraction": true },
        "register": {
          "method": "POST", "path": "registrations", "requestRootKeyPath": "user", "responseRootKeyPath": "data.user"
        },
        "photo": { "method": "POST", "path": "photos", "serialization": "form" },
        "raw": { "method": "POST", "path": "raw" },
        "picture": { "method": "PUT", "path": "pictures/{id}" },
        "image": { "method": "POST", "path": "pictures", "serialization": "form" },
        "download": { "path": "maps/garden.pdf", "saveAsFile": true },
        "plant": { "path": "plants/{id}" },
        "search": { "path": "plants" },
        "add": { "method": "POST", "path": "plants" },
        "tree": { "method": "POST", "path": "trees" },
        "beds": { "path": "beds" }
      }
    }
    """

/// The table of these routes.
package func routeTable() throws -> RouteTable { try RouteTable(json: Data(routes.utf8)) }

/// A file of them.
package var routeFile: URL { scratchFile("routes.json", routes) }

/// A chain with the stages that the recipes name.
///
/// A block that sets an option that none of them reads fails.
package let serviceChain: Chain = {
    do {
        return try Chain(transport: service) {
            CallRegistryMiddleware(CallRegistry())
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(60))
            SerializerMiddleware(.json, .form, .text)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            HeadersMiddleware([.userAgent: "Garden/1.2"])
            RequestProcessorMiddleware()
            MultipartMiddleware()
            RedirectMiddleware()
            GzipMiddleware()
            RetryMiddleware()
        }
    } catch {
        fatalError("\(error)")
    }
}()

/// A directory of this process alone, in the one that the blocks are run in.
package let scratch: URL = {
    let name = "scratch-\(ProcessInfo.processInfo.processIdentifier)"
    let url = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: name)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}()

/// A file with some content.
package func scratchFile(_ name: String, _ content: String) -> URL {
    let url = scratch.appending(path: name)
    if !FileManager.default.fileExists(atPath: url.path) { try? Data(content.utf8).write(to: url) }
    return url
}

/// A value of a type, for a name of one page.
package func sample<Value>(_ type: Value.Type) -> Value? {
    let values: [ObjectIdentifier: () throws -> Any] = [
        ObjectIdentifier(String.self): { "sample" },
        ObjectIdentifier([String].self): { [String]() },
        ObjectIdentifier([URL].self): { [photo, file] },
        ObjectIdentifier(Int.self): { 1 },
        ObjectIdentifier(URL.self): { file },
        ObjectIdentifier(Data.self): { Data("bytes".utf8) },
        ObjectIdentifier(Date.self): { Date() },
        ObjectIdentifier(Secret.self): { Secret("secret") },
        ObjectIdentifier(HTTPBody.self): { HTTPBody("body") },
        ObjectIdentifier(Chain.self): { serviceChain },
        ObjectIdentifier(Client.self): { Client(over: serviceChain) },
        ObjectIdentifier(CookieJar.self): { CookieJar() },
        ObjectIdentifier(DispatchQueue.self): { DispatchQueue(label: "sample") },
        ObjectIdentifier(CallRegistry.self): { CallRegistry() },
        ObjectIdentifier(HTTPRequest.self): {
            HTTPRequest(method: .get, scheme: "https", authority: "www.example.com", path: "/")
        },
        ObjectIdentifier(InMemoryTransport.self): { InMemoryTransport() },
        ObjectIdentifier(ODataQuery<ODataAnyEntity>.self): { ODataQuery<ODataAnyEntity>("People") },
        ObjectIdentifier(Plant.self): { Plant(id: 7, name: "Rose") },
        ObjectIdentifier(Request.self): { request },
        ObjectIdentifier(RetryMiddleware.self): { RetryMiddleware() },
        ObjectIdentifier(MultipartForm.self): { MultipartForm(parameters: ["title": "Holiday"]) },
        ObjectIdentifier(CacheMiddleware.self): {
            CacheMiddleware(store: .memory(limit: .megabytes(5)), partition: .by { _ in "ada" })
        },
        ObjectIdentifier(BasicAuthMiddleware.self): {
            BasicAuthMiddleware(.fixed(user: "ada", password: password, for: "https://api.example.com"))
        },
    ]
    return try? values[ObjectIdentifier(type)]?() as? Value
}

/// Runs what blocks its thread on a thread of its own.
package func offThePool(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread { continuation.resume(with: Result { try work() }) }.start()
    }
}

/// Runs what ends only when it is cancelled.
package func untilCancelled(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await work() }
    try await Task.sleep(for: .milliseconds(500))
    task.cancel()
    do { try await task.value } catch is CancellationError {}
}
