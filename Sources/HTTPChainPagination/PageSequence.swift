public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The pages of a list in sequence, each requested on demand.
///
/// ```swift
/// let pages = chain.pages(of: [Plant].self, from: .get("plants"), by: .linkHeader())
/// for try await page in pages { show(page.value) }
/// for try await plant in pages.items() { … }
/// ```
///
/// The sequence ends after the last page. It throws ``PaginationError`` if the next page can't be followed or was
/// visited before, or if counted pages repeat, so that a truncated list isn't mistaken for a complete one. A next page
/// on another origin is also an error, because the request's credentials would be sent there. So is a next page after
/// another user has signed in.
///
/// Each iteration begins at the starting position. To continue later, start at ``Page/next``.
public struct PageSequence<Value: Sendable>: AsyncSequence, Sendable {
    typealias Fetch =
        @Sendable (
            _ position: PagePosition,
            _ change: @escaping @Sendable (Request) -> Request
        ) async throws -> DecodedResponse<Value>

    private let fetch: Fetch
    private let style: PaginationStyle<Value>
    private let start: PagePosition

    /// Creates a sequence of calls of any kind.
    ///
    /// - Parameters:
    ///   - style: The way in which the service links to the next page.
    ///   - position: The page to start at; the first by default.
    ///   - fetch: A closure that requests one page. Its argument `change` makes the page's request from the request for
    ///     the first page.
    public init(
        by style: PaginationStyle<Value>,
        startingAt position: PagePosition = .first,
        fetch:
            @escaping @Sendable (
                _ change: @escaping @Sendable (_ request: Request) -> Request
            ) async throws -> DecodedResponse<Value>
    ) {
        self.init(by: style, startingAt: position, fetchingAt: { _, change in try await fetch(change) })
    }

    /// Creates a sequence of calls that may differ by the position of their page.
    package init(
        by style: PaginationStyle<Value>,
        startingAt position: PagePosition,
        fetchingAt fetch:
            @escaping @Sendable (
                _ position: PagePosition,
                _ change: @escaping @Sendable (_ request: Request) -> Request
            ) async throws -> DecodedResponse<Value>
    ) {
        self.fetch = fetch
        self.style = style
        start = position
    }

    /// Starts an iteration at the starting position.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }

    /// An iterator over the pages of a list.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sequence: PageSequence<Value>
        /// The user of all pages, so that no page is requested as another user.
        private let identity = CallIdentity()
        private var place: PagePosition?
        private var walk: PageWalk
        private var history = PageHistory<Value>()
        /// The reason why there is no next page; it is thrown by the next call, so that the last page isn't lost.
        private var failure: (any Error)?

        fileprivate init(_ sequence: PageSequence<Value>) {
            self.sequence = sequence
            place = sequence.start
            walk = PageWalk(from: sequence.start)
        }

        /// Returns the next page; nil after the last.
        ///
        /// - Throws: ``PaginationError`` if the list can't continue, any error from requesting the page, and
        ///   `CancellationError`; the sequence has then ended.
        public mutating func next() async throws -> Page<Value>? {
            if let failure {
                self.failure = nil
                throw failure
            }
            guard let position = place else { return nil }
            place = nil
            var (page, target) = try await sequence.page(at: position, for: identity)
            if position.isCounted, history.repeats(with: page.value) { throw PaginationError(.noProgress) }
            let url = page.response.url
            walk.arrived(at: url, target: target)
            do {
                if let next = try sequence.style.next(page) { place = try walk.next(next, after: url) }
            } catch {
                failure = error
            }
            page.next = place
            return page
        }
    }

    /// Requests a page; returns the page, and the target of its request before any redirect.
    private func page(
        at position: PagePosition,
        for identity: CallIdentity
    ) async throws -> (page: Page<Value>, target: Origin?) {
        let sent = Locked<(record: CallRecord, origin: Origin?, path: String?)?>(nil)
        let decoded = try await fetch(position) { first in
            var request = position.request(from: first)
            request.bind(to: identity)
            let seen = (request.recordCall(), request.origin, request.head.path)
            sent.withLock { $0 = seen }
            return request
        }
        let (record, origin, path) = sent.withLock { ($0?.record, $0?.origin, $0?.path) }
        let target = record?.target
        let page = Page(
            value: decoded.value,
            response: decoded.response,
            position: position,
            next: nil,
            path: target?.path ?? path
        )
        return (page, target.flatMap { Origin(scheme: $0.scheme, authority: $0.authority) } ?? origin)
    }
}

extension Transport {
    /// Returns the pages of a list.
    ///
    /// - Parameters:
    ///   - type: The type that the body of a page is decoded to.
    ///   - request: The request for the first page; its body must be replayable.
    ///   - style: The way in which the service links to the next page.
    ///   - position: The page to start at; the first by default. If it is a URL, the origin of the list is the URL's
    ///     origin.
    public func pages<Value: Decodable & Sendable>(
        of type: Value.Type,
        from request: Request,
        by style: PaginationStyle<Value>,
        startingAt position: PagePosition = .first
    ) -> PageSequence<Value> {
        PageSequence(by: style, startingAt: position) { change in
            try await send(change(request), decoding: Value.self)
        }
    }
}
