#if AllTests
import Foundation
import HTTPChain
import HTTPChainResumableUpload
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes

/// Stages with the mistakes that people make when they write such a stage themselves.
enum FaultyStages {
    /// A retry that sends everything again after any failure, an order too.
    static let eagerRetry = ClosureMiddleware("EagerRetry", phase: .retry) { request, next in
        for _ in 0..<2 {
            if let response = try? await next(request), response.status.kind != .serverError { return response }
            try Task.checkCancellation()
        }
        return try await next(request)
    }

    /// A retry that takes a stream which has been read for one that is empty.
    static let emptyingRetry = ClosureMiddleware("EmptyingRetry", phase: .retry) { request, next in
        do {
            return try await next(request)
        } catch let error as TransportError where error.sent != .answered {
            var again = request
            if !again.body.isReplayable { again.body = .empty }
            return try await next(again)
        }
    }

    /// An upload in parts that begins anew whenever it breaks off, without asking what the server has.
    static let forgetfulUpload = ClosureMiddleware("ForgetfulUpload", phase: .upload) { request, next in
        guard request.method == .post, let content = request.body.bytes else { return try await next(request) }
        var failure: (any Error)?
        for _ in 0..<3 {
            do {
                return try await upload(content, of: request, next)
            } catch let error as TransportError {
                failure = error
            }
        }
        throw failure ?? CancellationError()
    }

    private static func upload(_ content: Data, of request: Request, _ next: Next) async throws -> Response {
        var creation = request
        creation.body = .empty
        creation.headers[.tusResumable] = "1.0.0"
        creation.headers[.uploadLength] = "\(content.count)"
        let created = try await next(creation)
        guard created.status == .created, let location = created.headers[.location] else { return created }
        var part = request
        part.method = .patch
        part.head.path = location
        part.headers[.tusResumable] = "1.0.0"
        part.headers[.uploadOffset] = "0"
        return try await next(part)
    }

    /// A redirect that leaves what was to be sent behind.
    static let forgetfulRedirect = ClosureMiddleware("ForgetfulRedirect", phase: .redirect) { request, next in
        let response = try await next(request)
        guard response.status.code == 307, let location = response.headers[.location] else { return response }
        var again = request
        again.url = location
        again.body = .empty
        return try await next(again)
    }

    /// A variant that is chosen without regard to the order of languages.
    static let unorderedLanguages = ClosureMiddleware("UnorderedLanguages", phase: .build) { request, next in
        if let field = request.headers[.acceptLanguage] {
            request.headers[.acceptLanguage] = field.split(separator: ", ").sorted().joined(separator: ", ")
        }
        return try await next(request)
    }

    /// A cache that knows neither users, languages, changes nor what must not be stored.
    static func simpleCache(time: any TimeSource, forgetsOnWriting: Bool) -> some Middleware {
        SimpleCache(time: time, forgetsOnWriting: forgetsOnWriting)
    }

    /// Decoding that takes the end of what it can read for the end.
    static let forgivingDecoder = ClosureMiddleware("ForgivingDecoder", phase: .decode) { request, next in
        var response = try await next(request)
        response.body = response.body.transformed { ForgivingReader(inner: $0) }
        return response
    }

    /// Cookies outside the cache, which take those of stored responses for new ones.
    static func rememberingCookies(_ jar: CookieJar) -> some Middleware {
        ClosureMiddleware("RememberingCookies", phase: .cookies) { request, next in
            let response = try await next(request)
            try await jar.store(response.headers[values: .setCookie], from: request.url)
            return response
        }
    }

    /// Compression that keeps the response which refuses it, while it sends the plain content.
    static let hoardingCompression = ClosureMiddleware("HoardingCompression", phase: .compress) { request, next in
        guard let content = request.body.bytes, !content.isEmpty else { return try await next(request) }
        var coded = request
        coded.headers[.contentEncoding] = "gzip"
        let refusal = try await next(coded)
        guard refusal.status == .unsupportedMediaType else { return refusal }
        let response = try await next(request)
        return withExtendedLifetime(refusal) { response }
    }

    /// Authentication that sends its token wherever the request goes.
    static func carelessAuthentication(_ world: SimulatedWorld, _ user: String) -> some Middleware {
        ClosureMiddleware("CarelessAuthentication", phase: .authenticate) { request, next in
            let token = try await world.token(for: user)
            request.headers[.authorization] = "Bearer \(token.revealed)"
            return try await next(request)
        }
    }

    /// A limit whose permits are lost when whoever holds them is cancelled, or fails.
    static func leakingLimit(_ count: Int) -> some Middleware { LeakingLimit(permits: Permits(count: count)) }

    /// A stage that remembers every response, to compare it with the next.
    static func hoarder() -> some Middleware { Hoarder() }

    /// Errors of the application's that tell all, in a type of their own.
    static let tellingErrors = ClosureMiddleware("TellingErrors", phase: .wire) { request, next in
        do {
            return try await next(request)
        } catch {
            throw TellingError(fields: request.headers)
        }
    }

    /// A timeout that leaves what it ended to itself, and its caller without an answer.
    static let endlessTimeout = ClosureMiddleware("EndlessTimeout", phase: .attempt) { request, next in
        do {
            return try await next(request)
        } catch is TransportError {
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
            throw CancellationError()
        }
    }
}

struct TellingError: Error, CustomStringConvertible {
    var fields: HTTPFields
    var description: String { "failed with \(fields.map { "\($0.name): \($0.value)" })" }
}

private struct ForgivingReader: BodyReader {
    var inner: any BodyReader

    nonisolated(nonsending) mutating func read() async throws -> Data? { try? await inner.read() }
}

private final class SimpleCache: Middleware {
    private let stored = Locked<[String: (content: Data, until: Duration)]>([:])
    private let time: any TimeSource
    private let forgetsOnWriting: Bool

    init(time: any TimeSource, forgetsOnWriting: Bool) {
        self.time = time
        self.forgetsOnWriting = forgetsOnWriting
    }

    var phase: Phase { .cache }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let url = request.url
        guard request.method == .get else {
            if forgetsOnWriting { stored.withLock { $0[url] = nil } }
            return try await next(request)
        }
        let now = time.elapsed
        if let found = stored.withLock({ $0[url] }), found.until > now {
            return Response(.ok, body: HTTPBody(found.content))
        }
        var response = try await next(request)
        guard response.status == .ok else { return response }
        let content = try await response.body.collect()
        stored.withLock { $0[url] = (content, time.elapsed + .seconds(30)) }
        response.body = HTTPBody(content)
        return response
    }
}

private final class Permits: Sendable {
    private let state: Watched<Int>

    init(count: Int) { state = Watched(count) }

    func take() async throws {
        try await state.wait { count -> Void? in
            guard count > 0 else { return nil }
            count -= 1
            return ()
        }
    }

    func giveBack() { state.update { $0 += 1 } }
}

private struct LeakingLimit: Middleware {
    let permits: Permits

    var phase: Phase { .concurrencyLimit }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await permits.take()
        let response = try await next(request)
        permits.giveBack()
        return response
    }
}

private final class Hoarder: Middleware {
    private let responses = Locked<[Response]>([])

    var phase: Phase { .wire }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let response = try await next(request)
        responses.withLock { $0.append(response) }
        return response
    }
}
#endif
