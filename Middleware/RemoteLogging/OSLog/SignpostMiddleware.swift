#if canImport(os)
public import HTTPChainCore
import HTTPTypes
import os

/// Marks each call as an interval, which Instruments shows on its timeline.
///
/// ```
/// SignpostMiddleware(subsystem: "com.example.shop")
/// ```
///
/// The interval begins with the method and the redacted URL, and ends with the status, or with the type of the error.
/// It is named "HTTP". If signposts aren't being recorded, the stage only passes the request on.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call``.
///
/// **Options.** None.
///
/// **Errors.** The stage has no errors of its own kind.
public struct SignpostMiddleware: BuiltInStage {
    private let signposter: OSSignposter

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - subsystem: The name of the program, such as its bundle identifier.
    ///   - category: The category of the intervals.
    public init(subsystem: String, category: String = "PointsOfInterest") {
        signposter = OSSignposter(subsystem: subsystem, category: category)
    }

    /// ``/HTTPChainCore/Phase/call``.
    package var stagePhase: Phase { .call }

    /// The name and purpose of the stage.
    package var stageSummary: StageSummary {
        StageSummary("SignpostMiddleware", purpose: "marks calls for Instruments")
    }

    /// Passes the request on, and marks the interval until the result.
    ///
    /// - Throws: Errors from the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard signposter.isEnabled else { return try await next(request) }
        let target = "\(ExchangeSnapshot(request.head, redaction: request.redaction))"
        let interval = signposter.beginInterval("HTTP", id: signposter.makeSignpostID(), "\(target, privacy: .public)")
        do {
            let response = try await next(request)
            signposter.endInterval("HTTP", interval, "\(response.head.status.code)")
            return response
        } catch {
            let name = "\(type(of: error))"
            signposter.endInterval("HTTP", interval, "\(name, privacy: .public)")
            throw error
        }
    }
}
#endif
