/// A closure to which the transport reports that an exchange waits for a network, and that it doesn't wait anymore.
///
/// Written by typed calls, for ``CallEvent``; read by the transport for URLSession, on Apple platforms.
package enum ConnectivityReportNote: RequestOption, RequestNote {
    /// No report.
    package static var defaultValue: (@Sendable (_ isWaiting: Bool) -> Void)? { nil }
    /// Always `false`: it only observes the exchange.
    package static var affectsResponse: Bool { false }
}
