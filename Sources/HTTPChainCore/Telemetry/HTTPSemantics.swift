import Foundation
import HTTPTypes

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

    /// The variable that replaces the known methods, as names separated by commas.
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

    /// Returns the `error.type` of an error: one of few values, never made from the error's text.
    ///
    /// - Returns: "timeout"; the kind of a ``TransportError``; the status of a ``ResponseError``; the name of the
    ///   error's type otherwise. Nil for a cancellation, which the caller requested and which isn't an error.
    package static func errorType(of error: any Error, isTimeUp: Bool = false) -> String? {
        switch error {
        case is any TimeoutFailure: return "timeout"
        case is CancellationError: return isTimeUp ? "timeout" : nil
        case _ where Task.isCancelled: return isTimeUp ? "timeout" : nil
        case let error as TransportError: return error.kind == .timedOut ? "timeout" : error.kind.name
        case let error as any ResponseError where isError(error.response.head.status.code):
            return String(error.response.head.status.code)
        default: return StageSummary.name(of: type(of: error))
        }
    }
}

/// The time at which an exchange must end.
///
/// A cancellation after that time wasn't requested by the caller.
package struct TimeBound: Sendable {
    private let end: Duration?

    /// Makes the earliest end set by a request's options, for an exchange that starts now.
    ///
    /// - Parameter start: The current time, on the scale of the environment's clock.
    package init(_ options: borrowing RequestOptions, start: @autoclosure () -> Duration) {
        let attempt = options[TransferLimitsOption.self]?.total.map { start() + $0 }
        let call = options.deadline
        end =
            switch (attempt, call) {
            case (let attempt?, let call?): min(attempt, call)
            default: attempt ?? call
            }
    }

    /// Whether the end has been reached.
    package func hasPassed(at now: Duration) -> Bool { end.map { now >= $0 } ?? false }
}
