import Foundation
import HTTPChainCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Where URLSession differs between Apple platforms and Linux: every choice that depends on it is made here or in
/// `UploadStream.swift`.
enum PlatformBehaviour {
    #if canImport(FoundationNetworking)
    /// libcurl decodes what it knows and fails the transfer for what it does not know.
    static func decodes(_ codings: String) -> Bool {
        tokens(of: codings).contains { $0 != "identity" }
    }

    /// libcurl decodes, or fails: nothing has to be found out.
    static func showsDecodingInContent(_ codings: String) -> Bool { false }

    /// Whether a stream is stored before it is sent.
    ///
    /// FoundationNetworking reads an upload on the one queue that carries every transfer of every session in the
    /// process, and has no way to be told "later": a body that had to wait for its next bytes would stop them all, for
    /// ever where the bytes come from another transfer. So a stream is stored first.
    static let storesStreamedUploads = true

    private static let turns = TurnTaking()

    /// Makes, starts or cancels a task, which waits for the queue of all transfers.
    static func onControlQueue(_ work: @escaping @Sendable () -> Void) {
        turns.perform(work)
    }

    /// Bytes of a response were taken: who waits for the queue of all transfers may have its turn.
    static func standBack() {
        turns.standBack()
    }

    static func cancel(_ task: URLSessionTask) {
        onControlQueue { task.cancel() }
    }

    /// Delegate calls are made on the session's own queue, at once: no hop for each of them, and data cannot pile up
    /// in front of the delegate faster than it is stored.
    static func makeDelegateQueue() -> OperationQueue {
        InlineOperationQueue()
    }

    /// Lets a 401 through as it is.
    ///
    /// FoundationNetworking asks when all of the response was delivered. "Default handling" then waits for ever, and
    /// any refusal cancels the task: the exchange is over before that. The refusal cancels on the session's queue,
    /// which may be the one this is called on.
    static func decline(
        _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        complete: () -> Void
    ) {
        complete()
        onControlQueue { answer(.rejectProtectionSpace, nil) }
    }

    /// FoundationNetworking cuts a timeout to whole seconds, which would make half a second none at all, and has no
    /// resource timeout of its own.
    static func apply(requestTimeout: Duration, resourceTimeout: Duration?, to configuration: URLSessionConfiguration) {
        configuration.timeoutIntervalForRequest = max(1, requestTimeout.inSeconds.rounded(.up))
    }

    /// Whether the transport has to watch the resource timeout itself.
    static let watchesResourceTimeout = true

    /// Attaches a body so that libcurl frames it as wanted.
    ///
    /// A body in memory goes as a stream too: when a kept connection turns out to be closed, libcurl sends again on
    /// another one, and FoundationNetworking can rewind nothing but a stream. A field value of one blank keeps both
    /// libcurl's own field of that name and the blank one off the wire.
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

    /// Whether libcurl's words tell more than the code.
    ///
    /// FoundationNetworking has one code, "unknown", for most of what libcurl tells, "bad server response" for a lost
    /// connection, and makes others of the last `errno` of any attempt to connect, also where the next attempt got
    /// through.
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

    /// FoundationNetworking restricts no networks.
    static func restriction(of error: any Error) -> String? { nil }

    /// Whether the platform asks for a body in memory each time it sends it.
    static let asksForBytes = true

    /// How much of a body was sent: the count begins anew when the platform asks for the body again.
    static func sentCount(after before: Int64, _ count: Int64, total: Int64, of length: Int64?) -> Int64 {
        before + count
    }
    #else
    static let asksForBytes = false

    /// The words are in the language of the user.
    static func explainsInWords(_ code: URLError.Code?) -> Bool { false }

    /// The setting that keeps a request from the network that is there.
    static func restriction(of error: any Error) -> String? {
        let settings: [URLError.NetworkUnavailableReason: String] = [
            .cellular: "cellular networks are not allowed: see URLSessionConfiguration.allowsCellularAccess",
            .expensive: "networks that cost money are not allowed: see ConnectionSettings.allowsExpensiveNetworks",
            .constrained: "Low Data Mode is on: see ConnectionSettings.allowsConstrainedNetworks",
        ]
        let reason = (error as? URLError)?.networkUnavailableReason
        return reason.map { settings[$0] ?? "the network that is there may not be used" }
    }

    /// A body in memory is sent again without a word: the platform's own count knows.
    static func sentCount(after before: Int64, _ count: Int64, total: Int64, of length: Int64?) -> Int64 {
        min(total, length ?? .max)
    }

    /// CFNetwork decodes these and passes on what it does not know.
    static func decodes(_ codings: String) -> Bool {
        let tokens = tokens(of: codings)
        return tokens.contains { $0 != "identity" }
            && tokens.allSatisfy { ["identity", "gzip", "x-gzip", "deflate", "br"].contains($0) }
    }

    /// CFNetwork decodes zstd from iOS 26.3 on, and passes it on before.
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
        // CFNetwork would call the content of a POST a form.
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
        // Bytes need no stream, and so no thread that writes one.
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
/// Runs what it is given at once, on the thread that gives it.
///
/// It has no state; a subclass has to repeat that its superclass is `@unchecked Sendable`.
private final class InlineOperationQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}
#endif
