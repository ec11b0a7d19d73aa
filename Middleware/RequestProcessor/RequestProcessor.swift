public import HTTPChainCore

/// Processes a request before it is sent.
///
/// A processor may change all of the request, or refuse it.
///
/// ```swift
/// struct TenantProcessor: RequestProcessor {
///     let directory: TenantDirectory
///
///     func process(_ request: inout Request) async throws {
///         guard let tenant = try await directory.current() else { throw SignedOut() }
///         request.head.headerFields[.tenant] = tenant.name
///     }
/// }
/// ```
public protocol RequestProcessor: Sendable {
    /// The processor's name in `explain()`.
    ///
    /// Defaults to the type's name.
    var name: String { get }

    /// Inspects the request and changes it as needed.
    ///
    /// - Parameter request: The request, with its head, its body, and all options of the call.
    /// - Throws: Any error, to refuse the request. The caller receives the error unchanged, and nothing is sent.
    func process(_ request: inout Request) async throws
}

extension RequestProcessor {
    /// The type's name.
    public var name: String { StageSummary.name(of: Self.self) }
}

/// A request processor that calls a closure.
package struct ClosureRequestProcessor: RequestProcessor {
    /// A closure that changes a request: see ``RequestProcessor/process(_:)``.
    package typealias Process = @Sendable (_ request: inout Request) async throws -> Void

    /// The processor's name in `explain()`.
    package let name: String
    private let body: Process

    /// Makes a processor from a closure.
    ///
    /// - Parameters:
    ///   - name: The processor's name in `explain()`.
    ///   - body: Inspects the request and changes it as needed.
    package init(_ name: String = "closure", _ body: @escaping Process) {
        self.name = name
        self.body = body
    }

    /// Runs the closure.
    package func process(_ request: inout Request) async throws {
        try await body(&request)
    }
}
