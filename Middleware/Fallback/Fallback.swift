public import HTTPChainCore
import HTTPTypes

/// An alternative source of responses for failed calls.
///
/// ```swift
/// Fallback.chain(mirror).or(.response(Response(.ok, body: "[]")))
/// ```
public struct Fallback: CustomStringConvertible, DescribedValue, Sendable {
    /// A failed call.
    struct Call: Sendable {
        let request: Request
        let failure: FallbackReason
        /// The groups of the call, determined before it was sent.
        let owners: LastAnswers.Owners
        /// Returns whether the fallback may be used for a failure.
        let condition: @Sendable (HTTPRequest, FallbackReason) -> Bool
        /// The rest of the chain, which the fallback replaces.
        let next: Next

        /// Returns whether another transport doesn't read an option that the rest of the chain would have read.
        ///
        /// Its response would then be one to a different request.
        func losesOptions(in transport: any Transport) -> Bool {
            let inner = next.optionsRead.filter { $0.decidesResponse }
            let unread = request.options.expressions(notReadBy: transport.optionsRead)
            return !Set(unread).isSubset(of: request.options.expressions(notReadBy: inner))
        }

        /// Returns whether a source that failed with this error may have performed a write.
        func mayHaveWritten(_ error: any Error) -> Bool { !request.method.isSafe && !error.isBeforeSending }
    }

    /// Returns a response for a failed call.
    typealias Source = @Sendable (Call) async throws -> Response?

    let answer: Source
    /// The memories of previous responses.
    let memories: [LastAnswers]
    /// The transports that requests may be sent to.
    let branches: [any Transport]
    /// Whether the source may send a request, which may wait for a connection or a permit.
    let sends: Bool
    /// A short description of the source.
    package let words: String

    private init(
        _ description: String,
        memories: [LastAnswers] = [],
        branches: [any Transport] = [],
        sends: Bool = false,
        answer: @escaping Source
    ) {
        words = description
        self.memories = memories
        self.branches = branches
        self.sends = sends
        self.answer = answer
    }

    /// Another chain or transport, such as a mirror or another region.
    ///
    /// A request isn't sent to it if its body can be read only once. Neither is a request with an option that affects
    /// the response (query arguments, fields, cookies, the use of a cache, …) and that a stage inside this one reads,
    /// but no stage of that chain does.
    public static func chain(_ transport: any Transport) -> Fallback {
        Fallback(transport.name, branches: [transport], sends: true) { call in
            guard call.request.body.isReplayable, !call.losesOptions(in: transport) else { return nil }
            return try await transport.send(call.request)
        }
    }

    /// A fixed response, which is used only if its body can be read again.
    public static func response(_ response: Response) -> Fallback {
        Fallback("a canned \(response.status.code)") { _ in response.body.isReplayable ? response : nil }
    }

    /// A closure, which may return no response.
    ///
    /// - Parameters:
    ///   - name: The display name.
    ///   - answer: Returns a response for a failed call, or `nil` if there is none.
    public static func perform(
        _ name: String,
        answer: @escaping @Sendable (_ request: Request, _ failure: FallbackReason) async throws -> Response?
    ) -> Fallback {
        Fallback(name, sends: true) { try await answer($0.request, $0.failure) }
    }

    /// The last successful response to the same GET request, regardless of its age.
    ///
    /// Requests are the same if their complete URL, header fields, options and content are equal. Fields that identify
    /// the call (`traceparent`, `X-Request-ID`, …) or request a newer response (`Cache-Control`, `Pragma`,
    /// `If-None-Match`, `If-Modified-Since`) may differ. Content that isn't in memory can't be compared, so a request
    /// with such content has no last response. The same applies to a request with credentials in an option, such as
    /// cookies of the call, unless the group has a closure.
    ///
    /// The closure of a group is called before the request is sent, and again afterwards. If its result has changed,
    /// for example because another user logged in during the call, no response is stored or returned.
    ///
    /// A response is stored once its body has been read to the end. To reuse responses by the rules of HTTP, use a
    /// cache with `stale-if-error`. Use this fallback if any response is better than none.
    ///
    /// - Parameters:
    ///   - group: The groups that don't share responses, such as users. A group with a closure is required if the stage
    ///     is outside one that authenticates, signs or chooses a user's cookies; otherwise, `Chain.init` throws.
    ///   - count: The maximum number of responses per group. Defaults to 100; the oldest are dropped.
    ///   - limit: The maximum size of a body. Defaults to 256 KiB.
    public static func lastAnswer(
        by group: RequestGroup,
        count: Int = 100,
        upTo limit: ByteCount = .kibibytes(256)
    ) -> Fallback {
        let memory = LastAnswers(group, count: count, limit: limit)
        return Fallback("the last answer, by \(group.description)", memories: [memory]) { call in
            memory.answer(to: call.request, of: call.owners)
        }
    }

    /// Returns this fallback, followed by another one if this one has no response or fails.
    ///
    /// If this fallback may have performed a write, another chain or closure is called only if the stage's condition
    /// allows it for this fallback's error.
    public func or(_ other: Fallback) -> Fallback {
        Fallback(
            "\(description), or \(other.description)",
            memories: memories + other.memories,
            branches: branches + other.branches,
            sends: sends || other.sends
        ) { [answer] call in
            do {
                if let response = try await answer(call) { return response }
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
                if call.mayHaveWritten(error) { return try await other.answer(call, after: error) }
            }
            return try await other.answer(call)
        }
    }
}

extension RequestOption {
    /// Whether the option affects what is sent or accepted, rather than only timing and retries.
    fileprivate static var decidesResponse: Bool {
        let efforts: Set<Phase> = [
            .failure, .call, .deadline, .coalesce, .upload, .retry, .hedge, .breaker, .rateLimit, .concurrencyLimit,
            .attempt,
        ]
        return affectsResponse && !efforts.contains(usage.phase)
    }
}

extension Fallback {
    /// Returns a response for a write that an earlier source may have performed.
    ///
    /// - Throws: `error` if there is no response; otherwise the source's own error, without the claim that nothing was
    ///   sent.
    fileprivate func answer(_ call: Call, after error: any Error) async throws -> Response {
        if sends, !call.condition(call.request.head, .failure(error)) { throw error }
        do {
            guard let response = try await answer(call) else { throw error }
            return response
        } catch let last {
            throw last.afterSending
        }
    }
}

/// The failure that a fallback replaced; see also ``HTTPChainCore/Response/fallback``.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FallbackReason: Sendable {
    /// An error.
    case failure(any Error)
    /// A response with a status that counts as a failure.
    case status(Int)
}

/// The reason why a response comes from a fallback, or `nil` for the server's own response.
package enum FallbackFact: ResponseOption {
    package static var defaultValue: FallbackReason? { nil }
}

extension Response {
    /// The reason why the response comes from a fallback, or `nil` if it doesn't.
    public var fallback: FallbackReason? { options[FallbackFact.self] }
}
