/// A closure to which the transport reports how much of the request body has been sent to the network.
///
/// Its arguments are the bytes sent so far and the total (`nil` if unknown). It is called in order, from the
/// transport's own threads, and must return quickly.
package enum UploadProgressNote: RequestOption, RequestNote {
    /// No progress reports.
    package static var defaultValue: (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)? { nil }
    /// Always `false`: it only observes the exchange.
    package static var affectsResponse: Bool { false }
}

/// Progress reports like ``UploadProgressNote``, with a separate closure each time the request is sent.
///
/// A retry or a redirect sends a request more than once. The transport gets a new closure each time, so that the bytes
/// of different attempts aren't mixed up.
package enum UploadReportsNote: RequestNote {
    /// A closure that returns the closure for one transmission of the request.
    package typealias Source = @Sendable () -> (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)

    /// No progress reports.
    package static var defaultValue: Source? { nil }
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// Returns the closure to which a transport reports while it sends this request, or `nil` if neither the caller nor
    /// a stage needs reports.
    ///
    /// A transport with the capability ``TransportCapabilities/reportsUploadProgress`` calls this once for each request
    /// that it sends. It calls the closure in order, with the bytes sent so far and the total (`nil` if unknown).
    public func beginUploadReport() -> (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)? {
        options.beginUploadReport()
    }
}

extension RequestOptions {
    package func beginUploadReport() -> (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)? {
        let listener = self[UploadProgressNote.self]
        guard let report = self[UploadReportsNote.self]?() else { return listener }
        guard let listener else { return report }
        return { sent, expected in
            listener(sent, expected)
            report(sent, expected)
        }
    }
}
