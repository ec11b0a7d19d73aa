public import Foundation
public import HTTPChainCore

extension Transport {
    /// Returns the events of a stream.
    ///
    /// It is opened when the first event is requested, and reopened when its connection is lost.
    ///
    /// ```swift
    /// for try await event in chain.events(.get("https://api.example.com/changes")) {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// Each connection is a separate call through the chain, so that all stages apply to it: it gets a fresh token, for
    /// example, and its redirects are followed. See ``EventStream``.
    ///
    /// - Parameters:
    ///   - request: The request, with any method and body. The fields `Accept` and `Cache-Control: no-cache` are added
    ///     unless the request has them, and `Last-Event-ID` is set if there is an ID.
    ///   - options: The settings for reading the stream.
    public func events(
        _ request: Request,
        options: EventStreamOptions = EventStreamOptions()
    ) -> EventStream<ServerSentEvent> {
        EventStream(request, over: self, options) { $0 }
    }

    /// Returns the values of a stream, decoded from the JSON of its events' data.
    ///
    /// ```swift
    /// let chat = try Request.post("https://api.example.com/chat", json: prompt)
    /// for try await delta in chain.events(chat, as: Delta.self, options: .untilDone) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request, with any method and body. Its settings for decoding a response, such as
    ///     `decoding(at:)`, don't apply to events: if the request has one, a serializer in the chain throws an error.
    ///   - type: The type of each value.
    ///   - decoder: A closure that makes the decoder; called once for each stream.
    ///   - options: The settings for reading the stream, including the types of events.
    public func events<Value: Decodable & Sendable>(
        _ request: Request,
        as type: Value.Type,
        decoder: @Sendable () -> JSONDecoder = { JSONDecoder() },
        options: EventStreamOptions = EventStreamOptions()
    ) -> EventStream<Value> {
        let decoder = Locked(decoder())
        return EventStream(request, over: self, options) { event in
            try decoder.withLock { try event.decode(type, decoder: $0) }
        }
    }
}
