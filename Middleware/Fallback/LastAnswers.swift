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

    /// The request that a response belongs to.
    private struct Key: Hashable, Sendable {
        let request: RequestIdentity
        /// The URL that an inner stage built, or the request's own.
        let url: ExactText
        /// The options of the call, which inner stages may send as fields or credentials.
        let effects: OptionEffects

        func hash(into hasher: inout Hasher) {
            hasher.combine(request)
            hasher.combine(url)
        }
    }

    /// The responses of one group.
    private final class Group: Sendable {
        let answers = Locked<(byRequest: [Key: Answer], clock: UInt64)>(([:], 0))
    }

    /// The fields that request a newer response.
    ///
    /// They are ignored, because any response is better than none.
    private static let ignored =
        RequestIdentity.callFields + [.cacheControl, .ifModifiedSince, .ifNoneMatch, .pragma]

    /// The groups of a request, by memory, determined before it was sent.
    typealias Owners = [ObjectIdentifier: any AnyObject & Sendable]

    private let groups: GroupTable<Group>
    /// Whether a closure divides the memory into groups, for example by user.
    let isByKey: Bool
    private let count: Int
    private let limit: ByteCount

    init(_ group: RequestGroup, count: Int, limit: ByteCount) {
        groups = GroupTable(group, limit: 1000) { _ in Group() }
        isByKey = group.isByKey
        self.count = max(1, count)
        self.limit = limit
    }

    /// Records the group of a request that is about to be sent.
    func note(_ request: borrowing Request, in owners: inout Owners) {
        owners[ObjectIdentifier(self)] = groups.entry(for: request)
    }

    /// Returns the response, and stores it when its body has been read to the end, or immediately if it is in memory.
    func remembering(_ response: consuming Response, to request: borrowing Request, of owners: Owners) -> Response {
        guard response.status.kind == .successful, response.status.code != 206,
            response.body.length ?? 0 <= limit.bytes, let (group, key) = place(of: request, owners)
        else { return response }
        var head = response.head
        // The field describes how caches handled the original call, which is over.
        head.headerFields[.cacheStatus] = nil
        let keep = { @Sendable [head, count] (body: HTTPBody) in
            group.answers.withLock { state in
                state.clock += 1
                state.byRequest[key] = Answer(head: head, body: body, age: state.clock)
                if state.byRequest.count > count,
                    let oldest = state.byRequest.min(by: { $0.value.age < $1.value.age })?.key
                {
                    state.byRequest[oldest] = nil
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

    func answer(to request: borrowing Request, of owners: Owners) -> Response? {
        guard let (group, key) = place(of: request, owners) else { return nil }
        return group.answers.withLock { $0.byRequest[key] }.map {
            var response = Response(head: $0.head, body: $0.body)
            response.source = .remembered
            return response
        }
    }

    /// Returns `nil` if the request's group has changed since it was sent, because another user may have logged in.
    ///
    /// Also returns `nil` if the request has credentials that neither the group nor the identity separates.
    private func place(of request: borrowing Request, _ owners: Owners) -> (Group, Key)? {
        guard request.head.method == .get, isByKey || !request.options.hasCredentials,
            let identity = RequestIdentity(request, ignoring: Self.ignored)
        else {
            return nil
        }
        var built = copy request
        if !built.hasCompleteURL, let target = built.callRecord?.target {
            built.head.scheme = target.scheme
            built.head.authority = target.authority
            built.head.path = target.path
        }
        guard let group = groups.entry(for: built), groups.entry(for: request) === owners[ObjectIdentifier(self)] else {
            return nil
        }
        return (group, Key(request: identity, url: ExactText(built.url), effects: OptionEffects(of: request.options)))
    }
}
