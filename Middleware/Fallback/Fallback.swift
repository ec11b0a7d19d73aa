public import HTTPChainCore
import HTTPTypes

/// A source of an answer for a call that failed.
///
/// ```swift
/// Fallback.chain(mirror).or(.response(Response(.ok, body: "[]")))
/// ```
public struct Fallback: Sendable, CustomStringConvertible {
    /// Answers in place of what failed; `nil` when it has no answer.
    public typealias Answer = @Sendable (_ request: Request, _ failure: CallFallback.Reason) async throws -> Response?

    let answer: Answer
    /// The memory of good answers, where there is one.
    let memory: LastAnswers?
    /// The source of the answer, in a few words.
    public let description: String

    private init(_ description: String, memory: LastAnswers? = nil, answer: @escaping Answer) {
        self.description = description
        self.memory = memory
        self.answer = answer
    }

    /// Another chain, or a transport: a mirror, another region.
    ///
    /// A request whose body can be read only once is not sent to it.
    public static func chain(_ transport: any Transport) -> Fallback {
        Fallback(transport.name) { request, _ in
            guard request.body.isReplayable else { return nil }
            return try await transport.send(request)
        }
    }

    /// A response that is always the same; its body has to be one that can be read again.
    public static func response(_ response: Response) -> Fallback {
        Fallback("a canned \(response.status.code)") { _, _ in response.body.isReplayable ? response : nil }
    }

    /// A closure of yours, which may have no answer.
    ///
    /// - Parameters:
    ///   - name: What it is called, for people to read.
    ///   - answer: Answers in place of what failed; `nil` when it has no answer.
    public static func perform(_ name: String, answer: @escaping Answer) -> Fallback {
        Fallback(name, answer: answer)
    }

    /// The last good answer to the same GET request, however old it is.
    ///
    /// An answer is remembered once its body was read to the end. For what may be used again by the rules of HTTP use a
    /// cache with `stale-if-error`; this one is for when anything is better than nothing.
    ///
    /// - Parameters:
    ///   - group: Whose answers are whose, such as the user: an answer is given only to the same group. Outside
    ///     authentication a request does not tell by itself.
    ///   - count: How many answers are remembered, the latest; 100 by default.
    ///   - limit: How large a body may be; 256 KiB by default.
    public static func lastAnswer(
        by group: RequestGroup,
        count: Int = 100,
        upTo limit: ByteCount = .kibibytes(256)
    ) -> Fallback {
        let memory = LastAnswers(group, count: count, limit: limit)
        return Fallback("the last answer, by \(group)", memory: memory) { request, _ in memory.answer(to: request) }
    }

    /// This one, and where it has no answer or fails itself, the other.
    public func or(_ other: Fallback) -> Fallback {
        Fallback("\(self), or \(other)", memory: memory ?? other.memory) { [answer] request, failure in
            do {
                if let response = try await answer(request, failure) { return response }
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
            }
            return try await other.answer(request, failure)
        }
    }
}

/// Why a response comes from a fallback; ``HTTPChainCore/Response/fallback`` is the short way to it.
public enum CallFallback: ResponseOption {
    /// The failure that the fallback answers.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable {
        /// An error.
        case failure(any Error)
        /// A response with a status that counts as a failure.
        case status(Int)
    }

    /// The response is the server's.
    public static var defaultValue: Reason? { nil }
}

extension Response {
    /// Why the response comes from a fallback; `nil` when it does not.
    public var fallback: CallFallback.Reason? { options[CallFallback.self] }
}
