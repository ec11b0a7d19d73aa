public import HTTPChainCore

extension HTTPBody {
    /// The events of a body as they arrive, ending with the body.
    ///
    /// This is for an existing response; ``HTTPChainCore/Transport/events(_:options:)`` reopens a stream when its
    /// connection is lost.
    ///
    /// - Parameter limits: The limits on memory.
    public func serverSentEvents(limits: EventStreamLimits = EventStreamLimits()) -> ServerSentEvents {
        ServerSentEvents(body: self, limits: limits)
    }

    /// The events of a body in pieces, so that an event of any size passes in constant memory.
    ///
    /// ```swift
    /// for try await part in response.body.eventParts() {
    ///     switch part {
    ///     case .data(let piece): try file.write(contentsOf: piece)
    ///     case .end: try file.close()
    ///     case .comment, .retry: break
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter limits: The limits of lines other than data.
    public func eventParts(limits: EventStreamLimits = EventStreamLimits()) -> EventParts {
        EventParts(body: self, limits: limits)
    }
}

/// The events of one body.
public struct ServerSentEvents: AsyncSequence, Sendable {
    let body: HTTPBody
    let limits: EventStreamLimits

    /// Begins to read; the body is opened, and may throw, at the first event.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: body.makeAsyncIterator(), parser: EventParser(limits: limits))
    }

    /// Reads the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: HTTPBody.AsyncIterator
        fileprivate var parser: EventParser
        private var events: ArraySlice<ServerSentEvent> = []

        fileprivate init(chunks: HTTPBody.AsyncIterator, parser: EventParser) {
            self.chunks = chunks
            self.parser = parser
        }

        /// Returns the next event, or `nil` at the end.
        public mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: nil)
        }

        /// Returns the next event, or `nil` at the end.
        ///
        /// - Throws: ``EventStreamError`` if the limits are exceeded; errors from the body.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            while true {
                if let event = events.popFirst() { return event }
                guard let chunk = try await chunks.next(isolation: actor) else { return nil }
                events = try parser.events(in: chunk)[...]
            }
        }
    }
}

/// The events of one body, in pieces.
public struct EventParts: AsyncSequence, Sendable {
    let body: HTTPBody
    let limits: EventStreamLimits

    /// Begins to read; the body is opened, and may throw, at the first part.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: body.makeAsyncIterator(), parser: EventPartParser(limits: limits))
    }

    /// Reads the parts.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: HTTPBody.AsyncIterator
        fileprivate var parser: EventPartParser
        private var parts: ArraySlice<EventPart> = []

        fileprivate init(chunks: HTTPBody.AsyncIterator, parser: EventPartParser) {
            self.chunks = chunks
            self.parser = parser
        }

        /// Returns the next part, or `nil` at the end.
        public mutating func next() async throws -> EventPart? {
            try await next(isolation: nil)
        }

        /// Returns the next part, or `nil` at the end.
        ///
        /// - Throws: ``EventStreamError`` if a line other than data exceeds the limits; errors from the body.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> EventPart? {
            while true {
                if let part = parts.popFirst() { return part }
                guard let chunk = try await chunks.next(isolation: actor) else { return nil }
                parts = try parser.parts(in: chunk)[...]
            }
        }
    }
}
