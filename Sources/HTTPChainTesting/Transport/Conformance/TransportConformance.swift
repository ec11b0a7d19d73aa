public import HTTPChainCore

/// Checks that a transport meets the requirements that every stage relies on; run it with your own transport.
///
/// ```swift
/// @Suite struct MyTransportConformance {
///     static let suite = TransportConformance { MyTransport() }
///
///     @Test(arguments: suite.checks)
///     func conforms(_ check: TransportConformance.Check) async throws {
///         #expect(try await Self.suite.verify(check) == .passed)
///     }
/// }
/// ```
///
/// The transport connects to a ``LoopbackServer``, which supports HTTP/1.1 without TLS on 127.0.0.1 and misbehaves at
/// the byte level. A transport without a network gets the peer as a closure, and only the applicable checks run. The
/// HTTP/2 checks need a server that you start; see the parameter `http2`.
public struct TransportConformance: Sendable {
    /// A closure that plays the server for a transport without a network.
    package typealias Handler = @Sendable (Request) async throws -> Response

    /// The outcome of a check that didn't fail.
    public enum Outcome: Sendable, Hashable {
        /// The transport meets the requirement.
        case passed
        /// The check does not apply, for this reason.
        case skipped(String)
    }

    enum Wiring: Sendable {
        case loopback(@Sendable () async throws -> any Transport)
        case inMemory(@Sendable (@escaping Handler) async throws -> any Transport)
    }

    let wiring: Wiring
    let limit: Duration
    let excluded: [Check: String]
    let timingOut: (@Sendable () async throws -> any Transport)?
    let http2: String?
    let shutDown: @Sendable (any Transport) async throws -> Void

    /// Creates a suite for a transport that connects to servers.
    ///
    /// - Parameters:
    ///   - limit: The time limit for one check; 50 seconds by default. It is counted in turns of the thread pool (ten
    ///     per second), so it is longer if many tests share a small machine.
    ///   - excluded: The checks to exclude, each with the reason.
    ///   - timingOut: A closure that creates a transport with a short timeout, such as 200 ms; if `nil`,
    ///     ``Check/timeoutFails`` is skipped.
    ///   - http2: The origin of a running `Tests/InteroperabilityTests/frames.py` of HTTPChain's repository, such as
    ///     `https://localhost:8443`. The transport must trust its certificate. If `nil`, the HTTP/2 checks are skipped.
    ///   - shutDown: A closure that shuts down a transport after its check; does nothing by default.
    ///   - make: A closure that creates the transport for one check.
    public init(
        limit: Duration = .seconds(50),
        excluding excluded: [Check: String] = [:],
        timingOut: (@Sendable () async throws -> any Transport)? = nil,
        http2: String? = nil,
        shutDown: @escaping @Sendable (any Transport) async throws -> Void = { _ in },
        make: @escaping @Sendable () async throws -> any Transport
    ) {
        self.wiring = .loopback(make)
        self.limit = limit
        self.excluded = excluded
        self.timingOut = timingOut
        self.http2 = http2
        self.shutDown = shutDown
    }

    /// Creates a suite for a transport without a network.
    ///
    /// - Parameters:
    ///   - limit: The time limit for one check; 50 seconds by default. It is counted in turns of the thread pool (ten
    ///     per second), so it is longer if many tests share a small machine.
    ///   - excluded: The checks to exclude, each with the reason.
    ///   - make: A closure that creates a transport that uses the given closure as its server.
    public init(
        limit: Duration = .seconds(50),
        excluding excluded: [Check: String] = [:],
        inMemory make:
            @escaping @Sendable (
                _ handler: @escaping @Sendable (Request) async throws -> Response
            ) async throws -> any Transport
    ) {
        self.wiring = .inMemory(make)
        self.limit = limit
        self.excluded = excluded
        self.timingOut = nil
        self.http2 = nil
        self.shutDown = { _ in }
    }

    /// The applicable checks.
    public var checks: [Check] {
        Check.allCases.filter { reasonToSkip($0) == nil }
    }

    /// Returns the reason why a check doesn't apply, or `nil` if it does.
    package func reasonToSkip(_ check: Check) -> String? {
        if let reason = excluded[check] { return reason }
        if case .inMemory = wiring, check.needsNetwork { return "the transport has no network" }
        if check.needsHTTP2, http2 == nil { return "no server of HTTP/2 was given" }
        if check == .timeoutFails, timingOut == nil { return "no transport with a short timeout was given" }
        return nil
    }

    /// Runs one check on the transport.
    ///
    /// - Returns: The outcome; ``Outcome/skipped(_:)`` if the check doesn't apply.
    /// - Throws: An error if the transport fails it.
    public func verify(_ check: Check) async throws -> Outcome {
        if let reason = reasonToSkip(check) { return .skipped(reason) }
        let run = ConformanceRun(suite: self, check: check)
        return try await run.within(limit, "the check to end") {
            do {
                return try await run.perform()
            } catch let error as ConformanceFailure {
                throw error
            } catch {
                throw ConformanceFailure(
                    check: check,
                    expected: "no error at this point",
                    seen: "\(type(of: error))",
                    underlyingError: error
                )
            }
        }
    }
}
