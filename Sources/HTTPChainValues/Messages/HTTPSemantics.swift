import Foundation
import HTTPChainSupport

/// The values of OpenTelemetry's HTTP conventions for methods, protocols and errors, for all stages that report them.
package enum HTTPSemantics {
    /// The version of this library in telemetry.
    package static let libraryVersion = "0.1.0"

    /// The methods that may be reported by name: those of RFC 9110 §9, PATCH (RFC 5789) and QUERY.
    package static let standardMethods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]

    /// The value for all other methods.
    package static let otherMethod = "_OTHER"

    /// The environment variable that replaces the known methods: names separated by commas.
    package static let methodsVariable = "OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"

    /// Returns the methods that are reported by name in an environment.
    package static func knownMethods(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Set<String> {
        guard let list = environment[methodsVariable] else { return standardMethods }
        return Set(
            list.pieces(at: ",").map { $0.trimming() }.filter { !$0.isEmpty }
        )
    }

    /// Returns `network.protocol.version` for a protocol's ALPN name (RFC 7301); nil for a protocol that isn't HTTP.
    package static func protocolVersion(ofALPN name: String) -> String? {
        switch name.lowercased() {
        case "http/1.0": "1.0"
        case "http/1.1": "1.1"
        case "h2", "h2c": "2"
        case "h3": "3"
        default: nil
        }
    }

    /// Whether a status is an error for a client: 400 or above.
    package static func isError(_ status: Int) -> Bool { status >= 400 }
}
