// What blocks of the documentation use without declaring it: values of the types that their names say.
import Foundation
import HTTPChain
import HTTPChainLogShipper
import Logging

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A value of the type that its place asks for.
package func assumed<Value>() -> Value {
    guard let value = sample(Value.self) else { fatalError("there is no sample of \(Value.self)") }
    return value
}

/// What a block leaves out, in the place of `…`.
package func ellipsis() -> Never { fatalError() }

// The client.
package var transport: any Transport { service }
package var chain: Chain { serviceChain }
package var mirror: Chain { serviceChain }
package var request: Request { .get("https://api.example.com/plants/7") }
package var response: Response { Response(.ok, headers: [.contentType: "text/plain"], body: "oak") }
package var body: HTTPBody { "oak" }
package var logger: Logger { Logger(label: "Garden") }
package var session: URLSession { URLSession(configuration: .ephemeral) }
package var shipper: LogShipper {
    let resource = LogResource(serviceName: "Garden")
    return LogShipper(to: "https://logs.example.com/v1/logs", format: .otlp, resource: resource, over: service)
}
package var budget: RetryBudget { RetryBudget(share: 0.1, minimumPerSecond: 1) }

// Files and content.
package var file: URL { routeFile }
package var photo: URL { scratchFile("photo.jpg", "photo") }
package var report: URL { scratchFile("report", "report") }
package var log: URL { scratchFile("log", "line") }
package var home: URL { scratch }
package var directory: URL { scratch }
package var destination: URL { scratch.appending(path: "destination") }
package var bytes: Data { Data("bytes".utf8) }
package var data: Data { Data("data".utf8) }

// Who calls.
package var account: String { "ada" }
package var password: Secret { Secret("secret") }
package var token: AccessToken { AccessToken("token") }
package var key: String { "key" }

#if !canImport(Darwin)
extension URL {
    /// Foundation has it on Apple platforms.
    package static var documentsDirectory: URL { scratch }
}
#endif

// Values of services.
package struct User: Codable, Sendable, Hashable, Identifiable {
    package var id: Int
    package var name: String
    package init(id: Int, name: String) { (self.id, self.name) = (id, name) }
}

package struct NewUser: Codable, Sendable, Hashable {
    package var name: String
    package init(name: String) { self.name = name }
}

package struct Plant: Codable, Sendable, Hashable, Identifiable {
    package var id: Int
    package var name: String
    package var height: Int
    package init(id: Int = 0, name: String, height: Int = 0) {
        self.id = id
        self.name = name
        self.height = height
    }
}

package struct Order: Codable, Sendable, Hashable {
    package var id: Int
}
/// An option of the application's.
package enum Tenant: RequestOption {
    package static var defaultValue: String? { nil }
    package static func isHarmless(_ value: Value) -> Bool { true }
}
