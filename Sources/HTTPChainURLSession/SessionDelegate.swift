import Foundation
import HTTPChainCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Passes a session's callbacks to the exchanges of its tasks.
///
/// Disables redirects, credentials and caching, which aren't a transport's responsibility.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Entry {
        let exchange: Exchange
        let onCompletion: @Sendable () -> Void
    }

    private let entries = Locked<[Int: Entry]>([:])
    private let control: ConnectionControl

    init(_ control: ConnectionControl) {
        self.control = control
    }

    /// Associates a task with an exchange until the task has ended.
    func register(_ exchange: Exchange, for task: URLSessionTask, onCompletion: @escaping @Sendable () -> Void) {
        let entry = Entry(exchange: exchange, onCompletion: onCompletion)
        entries.withLock { $0[task.taskIdentifier] = entry }
    }

    /// The exchanges whose tasks haven't ended.
    var exchanges: [Exchange] {
        entries.withLock { $0.values.map(\.exchange) }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        entries.withLock { $0[task.taskIdentifier]?.exchange }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.received(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
        PlatformBehaviour.standBack()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let entry = entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        entry?.exchange.completed(error, response: task.response)
        entry?.onCompletion()
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(bytesSent, total: totalBytesSent)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(exchange(of: task)?.makeBodyStream())
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        if exchange(of: task)?.mayDeclineRedirect() ?? true { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.failureResponse is HTTPURLResponse else {
            return completionHandler(.performDefaultHandling, nil)
        }
        PlatformBehaviour.decline(challenge, completionHandler) { exchange(of: task)?.completed(nil, response: nil) }
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Without settings, the platform handles server trust and client certificates, but not credentials.
        let isHTTP = challenge.failureResponse is HTTPURLResponse
        let disposition = isHTTP ? URLSession.AuthChallengeDisposition.rejectProtectionSpace : .performDefaultHandling
        #if canImport(FoundationNetworking)
        completionHandler(disposition, nil)
        #else
        control.answer(to: challenge) { answer in
            completionHandler(answer?.0 ?? disposition, answer?.1)
        }
        #endif
    }

    #if !canImport(FoundationNetworking)
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        exchange(of: task)?.waitsForNetwork()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        exchange(of: task)?.measured(metrics)
    }
    #endif
}
