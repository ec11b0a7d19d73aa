import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPTypes

/// The destination and format of batches.
struct LogDestination: Sendable {
    let url: String
    let format: any LogWireFormat
    let resource: LogResource
    let transport: any Transport

    /// The maximum size of the part of a response that is read for its message.
    private static let answerLimit = ByteCount.kibibytes(64)

    /// Sends an encoded batch once.
    ///
    /// - Returns: The verdict, or `nil` if the task was cancelled before there was a response.
    func send(_ content: Data, until deadline: Duration, in environment: ChainEnvironment) async -> ExportVerdict? {
        var request = Request.post(url, headers: [.contentType: format.contentType], body: HTTPBody(content))
        request.isLogTraffic = true
        request.environment = environment
        request.options[DeadlineNote.self] = DeadlineNote.Mark(deadline)
        do {
            let response = try await transport.send(request)
            let body = await beginning(of: response.body, environment.time)
            return ExportVerdict(response.head, body: body, format: format, now: environment.time.date)
        } catch {
            if Task.isCancelled { return nil }
            return ExportVerdict(error, format: format, now: environment.time.date)
        }
    }

    /// Returns the first bytes of a response, and discards the rest.
    ///
    /// The head has already decided the outcome of the batch. If the body breaks or is late, an accepted batch must not
    /// be sent again.
    private func beginning(of body: HTTPBody, _ time: any TimeSource) async -> Data {
        guard let seen = try? await body.lookAhead(upTo: Self.answerLimit) else { return Data() }
        await seen.body.drain(time: time)
        return seen.preview.bytes
    }

    /// Returns the records as the content of a request.
    ///
    /// Those that can't be encoded are omitted.
    ///
    /// - Returns: The content (`nil` if no records remain), its records, and the omitted records with the reason.
    func encode(
        _ records: [LogRecord]
    ) -> (content: Data?, kept: [LogRecord], failed: [LogRecord], failure: (any Error)?) {
        do {
            return (try format.encode(LogBatch(resource: resource, records: records)), records, [], nil)
        } catch {
            var failed: [LogRecord] = []
            let kept = records.filter { record in
                let isGood = (try? format.encode(LogBatch(resource: resource, records: [record]))) != nil
                if !isGood { failed.append(record) }
                return isGood
            }
            guard !failed.isEmpty, !kept.isEmpty,
                let content = try? format.encode(LogBatch(resource: resource, records: kept))
            else { return (nil, [], records, error) }
            return (content, kept, failed, error)
        }
    }
}

extension LogDestination: RedactedDisplay {
    /// The URL, with secrets redacted.
    var description: String { Redaction.standard.url(url) }
}
