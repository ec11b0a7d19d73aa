import HTTPChainCore
import HTTPTypes

extension DownloadPosition {
    /// Returns `nil` if the body of the response won't be resumed if it breaks.
    init?(_ response: borrowing Response, to request: borrowing Request, _ settings: RetrySettings) {
        guard settings.policy.resumesDownloads, !response.body.isReplayable, request.head.method == .get,
            request.body.isReplayable, !request.options[LongLivedResponseNote.self]
        else { return nil }
        self.init(copy response, receivedAt: request.environment.time.date)
    }
}

extension RetryRun {
    /// Returns the response with a body that resumes after a break.
    func resuming(_ response: Response, from position: DownloadPosition) -> Response {
        var run = self
        run.beginDownload(response)
        var response = response
        response.body = response.body.transformed(length: response.body.length) { [run] reader in
            ResumingReader(reader, run: run, position: position)
        }
        return response
    }
}
