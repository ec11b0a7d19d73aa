public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The pages of a list, one after the other, each asked for when it is wanted.
///
/// ```swift
/// let pages = chain.pages(of: [Plant].self, from: .get("plants"), by: .linkHeader())
/// for try await page in pages { show(page.value) }
/// for try await plant in pages.items() { … }
/// ```
///
/// A list has three ends. It is done: the sequence ends. The next page cannot be followed, or is one that there was
/// before: the sequence throws ``PaginationError``, so that a list that is cut short is not taken for a whole one. It
/// never leaves its origin: a next page elsewhere is an error, as the request's credentials would go there.
///
/// Each iteration begins from the start; ``Page/next`` is where a later one can go on.
public struct PageSequence<Value: Sendable>: AsyncSequence, Sendable {
    /// The type of one page.
    public typealias Element = Page<Value>

    typealias Fetch =
        @Sendable (
            _ change: @escaping @Sendable (Request) -> Request
        ) async throws -> DecodedResponse<Value>

    private let fetch: Fetch
    private let style: PaginationStyle<Value>
    private let start: PagePosition
    private var prefetches = false

    /// Makes a sequence of calls of any kind.
    ///
    /// - Parameters:
    ///   - style: How the service says where the next page is.
    ///   - position: Where to begin; at the first page by default.
    ///   - fetch: Asks for one page: `change` makes its request from the one for the first.
    public init(
        by style: PaginationStyle<Value>,
        startingAt position: PagePosition = .first,
        fetch:
            @escaping @Sendable (
                _ change: @escaping @Sendable (_ request: Request) -> Request
            ) async throws -> DecodedResponse<Value>
    ) {
        self.fetch = fetch
        self.style = style
        start = position
    }

    /// The sequence, which asks for one page ahead while the last one is looked at.
    public func prefetching() -> PageSequence {
        var sequence = self
        sequence.prefetches = true
        return sequence
    }

    /// Begins at the start.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(steps: PageSteps(fetch: fetch, style: style), place: start, prefetches: prefetches)
    }

    /// Reads the pages of a list.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let steps: PageSteps<Value>
        private let prefetches: Bool
        private var place: PagePosition?
        private var walk: PageWalk
        private var ahead: PageAhead<Value>?
        /// Why there is no page after the last one; thrown when it is asked for, so that the last one is not lost.
        private var failure: (any Error)?

        init(steps: PageSteps<Value>, place: PagePosition, prefetches: Bool) {
            self.steps = steps
            self.prefetches = prefetches
            self.place = place
            walk = PageWalk(from: place)
        }

        /// The next page, or nil after the last.
        ///
        /// - Throws: ``PaginationError`` where the list cannot go on, what asking for the page throws, and
        ///   `CancellationError`; the sequence has ended then.
        public mutating func next() async throws -> Page<Value>? {
            if let failure {
                self.failure = nil
                throw failure
            }
            guard let position = place else { return nil }
            place = nil
            let step: PageStep<Value>
            if let ahead {
                self.ahead = nil
                step = try await ahead.value()
            } else {
                step = try await steps.fetch(position)
            }
            var page = step.page
            let url = page.response.url
            walk.arrived(at: url, target: step.target)
            do {
                if let next = try steps.style.next(page) { place = try walk.next(next, after: url) }
            } catch {
                failure = error
            }
            page.next = place
            if prefetches, let place { ahead = PageAhead(steps, place) }
            return page
        }
    }
}

/// A page as it came, and where its request went before any redirect.
struct PageStep<Value: Sendable>: Sendable {
    let page: Page<Value>
    let target: Origin?
}

/// Asks for single pages.
struct PageSteps<Value: Sendable>: Sendable {
    let fetch: PageSequence<Value>.Fetch
    let style: PaginationStyle<Value>

    init(fetch: @escaping PageSequence<Value>.Fetch, style: PaginationStyle<Value>) {
        self.fetch = fetch
        self.style = style
    }

    func fetch(_ position: PagePosition) async throws -> PageStep<Value> {
        let sent = Locked<(record: CallRecord, origin: Origin?)?>(nil)
        let decoded = try await fetch { first in
            var request = position.request(from: first)
            let seen = (request.recordCall(), request.origin)
            sent.withLock { $0 = seen }
            return request
        }
        let (record, origin) = sent.withLock { ($0?.record, $0?.origin) }
        let target = record?.target.flatMap { Origin(scheme: $0.scheme, authority: $0.authority) }
        return PageStep(
            page: Page(value: decoded.value, response: decoded.response, position: position, next: nil),
            target: target ?? origin
        )
    }
}

/// The page after the last one, which is asked for already; nobody waits for it when its iterator has gone.
final class PageAhead<Value: Sendable>: Sendable {
    private let task: Task<PageStep<Value>, any Error>

    init(_ steps: PageSteps<Value>, _ position: PagePosition) {
        task = Task { try await steps.fetch(position) }
    }

    deinit { task.cancel() }

    func value() async throws -> PageStep<Value> {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension Transport {
    /// The pages of a list.
    ///
    /// - Parameters:
    ///   - type: What the body of a page is decoded to.
    ///   - request: The request for the first page; its body must be one that can be read again.
    ///   - style: How the service says where the next page is.
    ///   - position: Where to begin; at the first page by default. With a position that is a URL the origin of the list
    ///     is that of the URL.
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
