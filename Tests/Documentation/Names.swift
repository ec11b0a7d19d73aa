// What blocks of the documentation use without declaring it: values of the types that their names say. Nothing runs here.
import Foundation
import HTTPChain
import HTTPChainLogShipper
import Logging

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A value of the type that its place asks for.
package func assumed<Value>() -> Value { fatalError("\(Value.self)") }

/// What a block leaves out, in the place of `…`.
package func ellipsis() -> Never { fatalError() }

// The client.
package var transport: any Transport { assumed() }
package var chain: Chain { assumed() }
package var mirror: Chain { assumed() }
package var request: Request { assumed() }
package var response: Response { assumed() }
package var body: HTTPBody { assumed() }
package var logger: Logger { assumed() }
package var session: URLSession { assumed() }
package var shipper: LogShipper { assumed() }
package var budget: RetryBudget { assumed() }

// Files and content.
package var file: URL { assumed() }
package var photo: URL { assumed() }
package var report: URL { assumed() }
package var log: URL { assumed() }
package var home: URL { assumed() }
package var directory: URL { assumed() }
package var destination: URL { assumed() }
package var bytes: Data { assumed() }
package var data: Data { assumed() }

// Who calls.
package var account: String { assumed() }
package var password: Secret { assumed() }
package var token: AccessToken { assumed() }
package var key: String { assumed() }

#if !canImport(Darwin)
extension URL {
    /// Foundation has it on Apple platforms.
    package static var documentsDirectory: URL { assumed() }
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
}
