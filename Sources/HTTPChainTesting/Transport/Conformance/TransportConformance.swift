public import HTTPChainCore

/// Holds a transport to what every stage relies on: run it against a transport of your own.
///
/// ```swift
/// @Suite struct MyTransportConformance {
///     static let suite = TransportConformance(over: .loopback) { MyTransport() }
///
///     @Test(arguments: suite.checks)
///     func conforms(_ check: TransportConformance.Check) async throws {
///         #expect(try await Self.suite.verify(check) == .passed)
///     }
/// }
/// ```
///
/// Over ``Network/loopback`` the transport talks to a ``LoopbackServer`` that misbehaves at the level of bytes. A
/// transport with no network is given the peer as a closure instead, and held to the checks that make sense then.
public struct TransportConformance: Sendable {
    /// Plays the server for a transport that has no network.
    public typealias Handler = @Sendable (Request) async throws -> Response

    /// A protocol that the transport talks over.
    public struct Network: Sendable, Hashable {
        private enum Kind { case loopback }
        private let kind: Kind

        /// Plain HTTP/1.1 to a server on 127.0.0.1.
        public static let loopback = Network(kind: .loopback)
    }

    /// The outcome of a check that did not fail.
    public enum Outcome: Sendable, Hashable {
        /// The transport does what it must.
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
    let shutDown: @Sendable (any Transport) async throws -> Void

    /// A suite for a transport that connects to servers.
    ///
    /// - Parameters:
    ///   - network: What it talks over.
    ///   - limit: How long one check may take before it counts as hanging; 50 seconds by default. It is counted in
    ///     turns of the pool of threads, ten to a second, and so lasts longer where many tests share a small machine.
    ///   - excluded: Checks to leave out, each with the reason why.
    ///   - timingOut: Makes a transport that gives up after a short while, such as 200 ms; without it,
    ///     ``Check/timeoutFails`` is skipped.
    ///   - shutDown: Ends a transport after its check; nothing by default.
    ///   - make: Makes the transport for one check.
    public init(
        over network: Network,
        limit: Duration = .seconds(50),
        excluding excluded: [Check: String] = [:],
        timingOut: (@Sendable () async throws -> any Transport)? = nil,
        shutDown: @escaping @Sendable (any Transport) async throws -> Void = { _ in },
        make: @escaping @Sendable () async throws -> any Transport
    ) {
        self.wiring = .loopback(make)
        self.limit = limit
        self.excluded = excluded
        self.timingOut = timingOut
        self.shutDown = shutDown
    }

    /// A suite for a transport that has no network.
    ///
    /// - Parameters:
    ///   - limit: How long one check may take before it counts as hanging; 50 seconds by default. It is counted in
    ///     turns of the pool of threads, ten to a second, and so lasts longer where many tests share a small machine.
    ///   - excluded: Checks to leave out, each with the reason why.
    ///   - make: Makes a transport whose server is the closure it is given.
    public init(
        limit: Duration = .seconds(50),
        excluding excluded: [Check: String] = [:],
        inMemory make: @escaping @Sendable (@escaping Handler) async throws -> any Transport
    ) {
        self.wiring = .inMemory(make)
        self.limit = limit
        self.excluded = excluded
        self.timingOut = nil
        self.shutDown = { _ in }
    }

    /// The checks that apply to the transport.
    public var checks: [Check] {
        Check.allCases.filter { reasonToSkip($0) == nil }
    }

    /// Why a check does not apply; `nil` when it does.
    public func reasonToSkip(_ check: Check) -> String? {
        if let reason = excluded[check] { return reason }
        if case .inMemory = wiring, check.needsNetwork { return "the transport has no network" }
        if check == .timeoutFails, timingOut == nil { return "no transport with a short timeout was given" }
        return nil
    }

    /// Holds the transport to one check.
    ///
    /// - Returns: ``Outcome/skipped(_:)`` when the check does not apply.
    /// - Throws: ``ConformanceFailure`` when the transport fails it.
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
                    check,
                    expected: "no error at this point",
                    seen: "\(type(of: error))",
                    underlyingError: error
                )
            }
        }
    }
}
