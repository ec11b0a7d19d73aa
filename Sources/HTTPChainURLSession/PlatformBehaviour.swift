import Foundation
import HTTPChainCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The differences of URLSession between Apple platforms and Linux.
///
/// All platform-dependent choices are made here or in `UploadStream.swift`.
enum PlatformBehaviour {
    #if canImport(FoundationNetworking)
    /// libcurl decodes all codings that it supports, and fails the transfer for others.
    static func decodes(_ codings: String) -> Bool {
        tokens(of: codings).contains { $0 != "identity" }
    }

    /// Always `false`: libcurl either decodes the content or fails, so nothing has to be detected.
    static func showsDecodingInContent(_ codings: String) -> Bool { false }

    /// Whether a stream is stored before it is sent.
    ///
    /// FoundationNetworking reads uploads on the single queue that is used by all transfers of all sessions in the
    /// process, and can't wait for bytes. If a body waited for its next bytes, it would block all transfers, forever if
    /// the bytes come from another transfer. Streams are therefore stored first.
    static let storesStreamedUploads = true

    private static let turns = TurnTaking()

    /// Runs work that creates, starts or cancels a task, which waits for the queue of all transfers.
    static func onControlQueue(_ work: @escaping @Sendable () -> Void) {
        turns.perform(work)
    }

    /// Gives work that waits for the queue of all transfers a turn; called after bytes of a response were received.
    static func standBack() {
        turns.standBack()
    }

    static func cancel(_ task: URLSessionTask) {
        onControlQueue { task.cancel() }
    }

    /// Makes a queue whose delegate calls run directly on the session's own queue.
    ///
    /// This saves a thread switch for each call, and data can't accumulate faster than the delegate stores it.
    static func makeDelegateQueue() -> OperationQueue {
        InlineOperationQueue()
    }

    /// Passes a 401 response through unchanged.
    ///
    /// FoundationNetworking calls this after it has delivered the whole response. "Default handling" would then wait
    /// forever, and any rejection cancels the task, so the exchange is completed first. The rejection cancels the task
    /// on the session's queue, which may be the current one.
    static func decline(
        _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        complete: () -> Void
    ) {
        complete()
        onControlQueue { answer(.rejectProtectionSpace, nil) }
    }

    /// FoundationNetworking truncates a timeout to whole seconds, so that half a second would become zero.
    ///
    /// It also traps if the seconds don't fit into an integer, and has no resource timeout.
    static func apply(requestTimeout: Duration, resourceTimeout: Duration?, to configuration: URLSessionConfiguration) {
        configuration.timeoutIntervalForRequest = max(1, requestTimeout.bounded.inSeconds.rounded(.up))
    }

    /// Whether the transport must enforce the resource timeout itself.
    static let watchesResourceTimeout = true

    /// Attaches a body in such a way that libcurl frames it as required.
    ///
    /// A body in memory is also sent as a stream. If a reused connection turns out to be closed, libcurl resends on
    /// another one, and FoundationNetworking can rewind only streams. A field value of one space prevents both
    /// libcurl's own field of that name and the blank field from being sent.
    static func attach(_ upload: Upload, to request: inout URLRequest, makeStream: () -> InputStream?) {
        guard let stream = makeStream() else { return }
        request.httpBodyStream = stream
        if let length = upload.length {
            request.setValue(String(length), forHTTPHeaderField: "Content-Length")
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        }
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue(" ", forHTTPHeaderField: "Content-Type")
        }
    }

    /// Whether a request that has no body, and must not be resent, needs a connection that no other request has used.
    ///
    /// If a reused connection is lost, libcurl resends such a request on another one without asking. It doesn't resend
    /// a request that it has sent on a new connection.
    static let resendsEmptyRequests = true

    /// Whether the process ends if the redirect of a cancelled task is declined.
    static let trapsOnRedirectOfCancelledTask = true

    /// Whether libcurl's message is more specific than the error code.
    ///
    /// FoundationNetworking uses a single code, "unknown", for most of libcurl's errors, and "bad server response" for
    /// a lost connection. It derives other codes from the last `errno` of any connection attempt, even if the next
    /// attempt succeeded.
    static func explainsInWords(_ code: URLError.Code?) -> Bool {
        switch code {
        case .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed,
            .callIsActive, .appTransportSecurityRequiresSecureConnection, .secureConnectionFailed,
            .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
            false
        default: true
        }
    }

    /// No options, because FoundationNetworking has no network hints.
    static let optionsRead: [any RequestOption.Type] = []

    static func follow(_ hints: NetworkHints, in request: inout URLRequest) {}

    /// Always `nil`: FoundationNetworking doesn't restrict networks.
    static func restriction(of error: any Error) -> String? { nil }

    /// Whether the host of a URL may be an IPv6 address; with FoundationNetworking, such a task fails with "bad URL".
    static let acceptsIPv6Addresses = false

    /// Whether the platform requests a body in memory each time it sends it.
    static let asksForBytes = true

    /// Returns the number of bytes sent; it restarts when the platform requests the body again.
    static func sentCount(after before: Int64, _ count: Int64, total: Int64, of length: Int64?) -> Int64 {
        before + count
    }
    #else
    static let asksForBytes = false

    static let resendsEmptyRequests = false

    static let trapsOnRedirectOfCancelledTask = false

    static let acceptsIPv6Addresses = true

    static let optionsRead: [any RequestOption.Type] = [NetworkHints.Option.self]

    static func follow(_ hints: NetworkHints, in request: inout URLRequest) {
        if hints.contains(.background) { request.networkServiceType = .background }
        if hints.contains(.responsive) { request.networkServiceType = .responsiveData }
        if hints.contains(.streaming) { request.networkServiceType = .avStreaming }
        if hints.contains(.http3) { request.assumesHTTP3Capable = true }
        if hints.contains(.noCellular) { request.allowsCellularAccess = false }
        if hints.contains(.noExpensive) { request.allowsExpensiveNetworkAccess = false }
        if hints.contains(.noConstrained) { request.allowsConstrainedNetworkAccess = false }
    }

    /// Always `false`: the messages aren't used, because they are in the user's language.
    static func explainsInWords(_ code: URLError.Code?) -> Bool { false }

    /// Returns the setting that prevents a request on the available network.
    static func restriction(of error: any Error) -> String? {
        let settings: [URLError.NetworkUnavailableReason: String] = [
            .cellular: "cellular networks are not allowed: see network(_:) and "
                + "URLSessionConfiguration.allowsCellularAccess",
            .expensive: "expensive networks are not allowed: see network(_:) and "
                + "ConnectionSettings.allowsExpensiveNetworks",
            .constrained: "Low Data Mode is on: see network(_:) and ConnectionSettings.allowsConstrainedNetworks",
        ]
        let reason = (error as? URLError)?.networkUnavailableReason
        return reason.map { settings[$0] ?? "the available network may not be used" }
    }

    /// Returns the platform's own count, because a body in memory is resent silently.
    static func sentCount(after before: Int64, _ count: Int64, total: Int64, of length: Int64?) -> Int64 {
        min(total, length ?? .max)
    }

    /// CFNetwork decodes these codings, and leaves others unchanged.
    ///
    /// The names of the codings are enough, because all supported versions of the platform decode them. The content
    /// wouldn't show it: deflate and br have no magic number, and decoded content may itself be a gzip file.
    static func decodes(_ codings: String) -> Bool {
        let tokens = tokens(of: codings)
        return tokens.contains { $0 != "identity" }
            && tokens.allSatisfy { ["identity", "gzip", "x-gzip", "deflate", "br"].contains($0) }
    }

    /// CFNetwork decodes zstd since iOS 26.3; earlier versions leave it unchanged.
    static func showsDecodingInContent(_ codings: String) -> Bool {
        DecodedContent.showsInContent(tokens(of: codings))
    }

    static let storesStreamedUploads = false

    static func decline(
        _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        complete: () -> Void
    ) {
        answer(.rejectProtectionSpace, nil)
    }

    static func onControlQueue(_ work: @escaping @Sendable () -> Void) {
        work()
    }

    static func standBack() {}

    static func cancel(_ task: URLSessionTask) {
        task.cancel()
    }

    static func makeDelegateQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    static func apply(requestTimeout: Duration, resourceTimeout: Duration?, to configuration: URLSessionConfiguration) {
        configuration.timeoutIntervalForRequest = requestTimeout.inSeconds
        if let resourceTimeout { configuration.timeoutIntervalForResource = resourceTimeout.inSeconds }
    }

    static let watchesResourceTimeout = false

    static func attach(_ upload: Upload, to request: inout URLRequest, makeStream: () -> InputStream?) {
        // Otherwise, CFNetwork would label the content of a POST as a form.
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
        // Bytes need no stream, and therefore no thread that writes one.
        if case .bytes(let data) = upload {
            request.httpBody = data
        } else if let stream = makeStream() {
            request.httpBodyStream = stream
            if let length = upload.length {
                request.setValue(String(length), forHTTPHeaderField: "Content-Length")
            }
        }
    }
    #endif

    private static func tokens(of list: String) -> [String] {
        list.pieces(at: ",").map { $0.trimming().lowercased() }.filter { !$0.isEmpty }
    }
}

#if canImport(FoundationNetworking)
/// Runs each operation immediately, on the calling thread.
///
/// It has no state. A subclass must repeat its superclass's `@unchecked Sendable`.
private final class InlineOperationQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}
#endif
