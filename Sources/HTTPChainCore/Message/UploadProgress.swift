/// Asks the transport to tell how much of the request body the network has taken.
///
/// The closure is given the bytes sent so far and the bytes to send in all, `nil` when not known. It is called from
/// the transport's own threads, in order, and must return quickly.
public enum UploadProgress: RequestOption {
    /// The caller does not want to know.
    public static var defaultValue: (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)? { nil }
}

/// Asks the transport as ``UploadProgress`` does, and learns each time that the request is sent.
///
/// A retry or a redirect sends a request more than once: each time the transport asks for a closure of its own, so that
/// the bytes of one attempt are never taken for those of another.
package enum UploadReports: RequestOption {
    /// Makes what one sending of the request reports to.
    package typealias Source = @Sendable () -> (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)

    /// Nothing wants to know.
    package static var defaultValue: Source? { nil }
}

extension Request {
    /// Returns the closure to which a transport reports while it sends this request; `nil` if neither the caller nor a
    /// stage wants to know.
    ///
    /// A transport whose capabilities have ``TransportCapabilities/reportsUploadProgress`` asks once for each request
    /// that it is given to send. It calls the closure in order with the bytes sent so far and those to send in all,
    /// `nil` when not known.
    public func beginUploadReport() -> (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)? {
        options.beginUploadReport()
    }
}

extension RequestOptions {
    package func beginUploadReport() -> (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)? {
        let listener = self[UploadProgress.self]
        guard let report = self[UploadReports.self]?() else { return listener }
        guard let listener else { return report }
        return { sent, expected in
            listener(sent, expected)
            report(sent, expected)
        }
    }
}
