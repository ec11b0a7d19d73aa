public import HTTPChainCore

/// Whether a request carries log records, so that logging stages let it pass unlogged.
///
/// ``HTTPChainCore/Request/isLogTraffic`` is the short way to it.
public enum LogTraffic: RequestOption {
    /// It is a request like any other.
    public static var defaultValue: Bool { false }
}

extension Request {
    /// Whether the request carries log records: logging such a request would make more of them without end.
    public var isLogTraffic: Bool {
        get { options[LogTraffic.self] }
        set { options[LogTraffic.self] = newValue }
    }
}
