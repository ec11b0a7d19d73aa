import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The memory of successful responses, for use after failures.
final class LastAnswers: Sendable {
    private struct Answer: Sendable {
        let head: HTTPResponse
        let body: HTTPBody
        var age: UInt64
    }

    /// The responses of a group by URL.
    private final class Group: Sendable {
        let answers = Locked<(byURL: [ExactText: Answer], clock: UInt64)>(([:], 0))
    }

    private let groups: GroupTable<Group>
    private let count: Int
    private let limit: ByteCount

    init(_ group: RequestGroup, count: Int, limit: ByteCount) {
        groups = GroupTable(group, limit: 1000) { _ in Group() }
        self.count = max(1, count)
        self.limit = limit
    }

    /// Returns the response, which is remembered when its body has been read to the end, or immediately if in memory.
    func remembering(_ response: consuming Response, to request: borrowing Request) -> Response {
        guard request.head.method == .get, response.status.kind == .successful, response.status.code != 206,
            response.body.length ?? 0 <= limit.bytes, let group = groups.entry(for: request)
        else { return response }
        let (url, head, count) = (ExactText(request.url), response.head, count)
        @Sendable func keep(_ body: HTTPBody) {
            group.answers.withLock { state in
                state.clock += 1
                state.byURL[url] = Answer(head: head, body: body, age: state.clock)
                if state.byURL.count > count, let oldest = state.byURL.min(by: { $0.value.age < $1.value.age })?.key {
                    state.byURL[oldest] = nil
                }
            }
        }
        if let bytes = response.body.bytes {
            keep(HTTPBody(bytes))
            return response
        }
        let (body, seen) = response.body.tee(upTo: limit)
        response.body = body.notifying { end in
            guard case .complete = end, !seen.preview.isTruncated else { return }
            keep(HTTPBody(seen.preview.bytes))
        }
        return response
    }

    func answer(to request: borrowing Request) -> Response? {
        guard request.head.method == .get, let group = groups.entry(for: request) else { return nil }
        let url = ExactText(request.url)
        return group.answers.withLock { $0.byURL[url] }.map {
            var response = Response(head: $0.head, body: $0.body)
            response.source = .stored()
            return response
        }
    }
}
