import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension CacheMiddleware {
    /// Returns a stored response that was not validated; `nil` if its body is gone.
    nonisolated(nonsending) func hit(_ answer: CacheAnswer, _ question: CacheQuestion) async -> Response? {
        let freshness = answer.freshness
        let age = freshness.ageField
        let timeToLive = freshness.wholeTimeToLive
        if answer.form == .whole, answer.reason == .fresh, question.request.method != .head {
            guard let body = await contents.body(of: answer) else { return nil }
            let rendering = answer.entry.response.rendering
            if let ready = rendering.withLock({ $0 }), ready.age == age, ready.timeToLive == timeToLive,
                ready.cache == reports.name
            {
                reports.events.emitHit(.hit(answer.entry.key, hitStatus(answer)))
                return Response(head: ready.head, body: body, options: ready.options)
            }
            var response = response(answer, hitStatus(answer), body, question)
            response.attempts = 0
            rendering.withLock { rendering in
                rendering = CacheHitRendering(
                    cache: reports.name,
                    age: age,
                    timeToLive: timeToLive,
                    head: response.head,
                    options: response.options
                )
            }
            reports.events.emitHit(.hit(answer.entry.key, hitStatus(answer)))
            return response
        }
        let status = hitStatus(answer)
        guard var response = await serve(answer, status, question) else { return nil }
        response.attempts = 0
        reports.events.emit(freshness.isFresh ? .hit(answer.entry.key, status) : .stale(answer.entry.key, status))
        return response
    }

    private func hitStatus(_ answer: CacheAnswer) -> CacheStatus {
        CacheStatus(
            cache: reports.name,
            isHit: true,
            timeToLive: answer.freshness.wholeTimeToLive,
            age: answer.freshness.ageField,
            reason: answer.reason
        )
    }

    /// Creates a response from a stored one; returns `nil` if its body is gone.
    func serve(_ answer: CacheAnswer, _ status: CacheStatus, _ question: CacheQuestion) async -> Response? {
        let body: HTTPBody
        switch answer.form {
        case .notModified, .unsatisfiable: body = .empty
        case .whole where question.request.method == .head: body = .empty
        case .whole, .part:
            guard let stored = await contents.body(of: answer) else { return nil }
            body = stored
        }
        return response(answer, status, body, question)
    }

    private func response(
        _ answer: CacheAnswer,
        _ status: CacheStatus,
        _ body: HTTPBody,
        _ question: CacheQuestion
    ) -> Response {
        let metadata = answer.entry.response.metadata
        var response = Response(head: metadata.head, body: body)
        // Digest verification must be able to detect that the content was decoded after it was received.
        if !metadata.originalContentFields.isEmpty {
            response.options[OriginalContentFieldsFact.self] = metadata.originalContentFields
        }
        switch answer.form {
        case .whole: break
        case .notModified:
            response.head.status = .notModified
            // RFC 9110 §15.4.5: removes fields that describe the content, because it isn't sent.
            for name in [HTTPField.Name.contentLength, .contentEncoding, .contentType, .contentLanguage] {
                response.headers[name] = nil
            }
            response.headers.removeContentDigests()
        case .part(let range, let length):
            response.head.status = .partialContent
            response.headers[.contentRange] = ContentRange(range, of: length).description
            response.headers[.contentLength] = "\(range.upperBound - range.lowerBound)"
            if metadata.content != .part(range, of: length) { response.headers.removeContentDigests() }
        case .unsatisfiable(let length):
            response.head.status = .rangeNotSatisfiable
            response.headers[.contentRange] = ContentRange.unsatisfied(length: length)
            response.headers[.contentLength] = "0"
            response.headers.removeContentDigests()
        }
        // RFC 9111 §4: unvalidated stored responses carry an Age; validated ones keep the server's.
        if answer.reason != .validated { response.headers[.age] = "\(answer.freshness.ageField)" }
        reports.attach(status, to: &response)
        response.source = .stored()
        return response
    }

    /// Returns 504 (Gateway Timeout).
    func unavailable(_ status: CacheStatus, because error: (any Error)? = nil) -> Response {
        var response = Response(
            .gatewayTimeout,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: HTTPBody("\(status.reason.words) (\(status.reason.section))\n")
        )
        reports.attach(status, to: &response)
        if let error { response.options[CacheFailureFact.self] = error }
        return response
    }
}
