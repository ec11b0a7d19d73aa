public import HTTPChainCore

/// A hook that sees a request before it is sent, and may change all of it or refuse it.
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
    /// The name of the processor in `explain()`; its type's name by default.
    var name: String { get }

    /// Looks at the request, and changes it as needed.
    ///
    /// - Parameter request: Head, body and options: all that was declared on the call.
    /// - Throws: Whatever refuses the request; the caller gets it unchanged, and nothing is sent.
    func process(_ request: inout Request) async throws
}

extension RequestProcessor {
    /// The type's name.
    public var name: String { StageSummary.name(of: Self.self) }
}

/// A request processor made of a closure.
public struct ClosureRequestProcessor: RequestProcessor {
    /// A closure that changes a request: see ``RequestProcessor/process(_:)``.
    public typealias Process = @Sendable (_ request: inout Request) async throws -> Void

    /// The name of the processor in `explain()`.
    public let name: String
    private let body: Process

    /// Makes a processor of a closure.
    ///
    /// - Parameters:
    ///   - name: What it is called in `explain()`.
    ///   - body: Looks at the request and changes it as needed.
    public init(_ name: String = "closure", _ body: @escaping Process) {
        self.name = name
        self.body = body
    }

    /// Runs the closure.
    public func process(_ request: inout Request) async throws {
        try await body(&request)
    }
}
