import Foundation
public import HTTPChainCore

extension HTTPBody {
    /// The events of a body as they arrive.
    ///
    /// The sequence ends with the body.
    ///
    /// This is for an existing response; ``HTTPChainCore/Transport/events(_:options:)`` reopens a stream when its
    /// connection is lost.
    ///
    /// - Parameter limits: The limits on memory.
    public func serverSentEvents(limits: EventStreamLimits = EventStreamLimits()) -> EventSequence<ServerSentEvent> {
        EventSequence(body: self) {
            var parser = EventParser(limits: limits)
            return { chunk in try parser.events(in: chunk) }
        }
    }

    /// The events of a body in pieces, so that events of any size need constant memory.
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
    public func eventParts(limits: EventStreamLimits = EventStreamLimits()) -> EventSequence<EventPart> {
        EventSequence(body: self) {
            var parser = EventPartParser(limits: limits)
            return { chunk in try parser.parts(in: chunk) }
        }
    }
}

/// The events of one body, or pieces of them, without reconnection.
///
/// ``HTTPChainCore/HTTPBody/serverSentEvents(limits:)`` and ``HTTPChainCore/HTTPBody/eventParts(limits:)`` return one.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
    let body: HTTPBody
    /// Makes a parser: a closure that returns the elements completed by a chunk.
    let makeParser: @Sendable () -> (Data) throws -> [Element]

    /// Starts reading.
    ///
    /// The body is opened when the first element is requested, which may throw.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: body.makeAsyncIterator(), parse: makeParser())
    }

    /// Reads the elements.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: HTTPBody.AsyncIterator
        fileprivate let parse: (Data) throws -> [Element]
        fileprivate var elements: [Element] = []
        fileprivate var index = 0

        /// Returns the next element, or `nil` at the end.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// Returns the next element, or `nil` at the end.
        ///
        /// - Throws: ``EventStreamError`` if the limits are exceeded; errors from the body.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            while true {
                if index < elements.count {
                    defer { index += 1 }
                    return elements[index]
                }
                guard let chunk = try await chunks.next(isolation: actor) else { return nil }
                elements = try parse(chunk)
                index = 0
            }
        }
    }
}
