import HTTPChainCore
import HTTPTypes

/// A response whose body is resumed if it breaks.
struct ResumableDownload {
    private let position: DownloadPosition

    /// Returns `nil` if the body of the response can't be resumed.
    init?(_ response: borrowing Response, to request: borrowing Request, _ settings: RetrySettings) {
        guard settings.policy.resumesDownloads, !response.body.isReplayable, request.head.method == .get,
            request.body.isReplayable, !request.options[LongLivedResponse.self],
            let position = DownloadPosition(copy response, receivedAt: request.environment.time.date)
        else { return nil }
        self.position = position
    }

    /// Returns the response with a body that resumes after a break.
    func response(_ response: Response, _ run: RetryRun) -> Response {
        var run = run
        run.beginDownload(response)
        var response = response
        response.body = response.body.transformed(length: response.body.length) { [run, position] reader in
            ResumingReader(reader, run: run, position: position)
        }
        return response
    }
}
