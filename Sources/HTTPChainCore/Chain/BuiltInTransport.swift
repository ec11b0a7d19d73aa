/// A transport of this package.
///
/// It implements these package requirements, and the public ones of ``Transport`` are derived from them.
package protocol BuiltInTransport: Transport {
    /// The transport's name; the name of its type by default.
    var transportName: String { get }
    /// The capabilities of the transport.
    var transportCapabilities: TransportCapabilities { get }
    /// The options of a request that the transport reads; none by default.
    var transportOptions: [any RequestOption.Type] { get }
}

extension BuiltInTransport {
    package var transportName: String { StageSummary.name(of: Self.self) }
    package var transportOptions: [any RequestOption.Type] { [] }

    /// The transport's name.
    public var name: String { transportName }
    /// The capabilities of the transport.
    public var capabilities: TransportCapabilities { transportCapabilities }
    /// The options of a request that the transport reads.
    public var optionsRead: [any RequestOption.Type] { transportOptions }
}
