public import Foundation
public import HTTPChainCore

extension Transport {
    /// The events of a stream, opened when the first one is asked for, and again when its connection is lost.
    ///
    /// ```swift
    /// for try await event in chain.events(.get("https://api.example.com/changes")) {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// Each time the stream is opened is a call of its own through the chain, with a fresh token, the limits and the
    /// redirects of its stages. See ``EventStream``.
    ///
    /// - Parameters:
    ///   - request: What to ask for; any method and body. It gets the fields `Accept`, `Cache-Control: no-cache` and, once
    ///     there is an id, `Last-Event-ID`, unless it has the first two.
    ///   - options: How the stream is read.
    public func events(
        _ request: Request,
        options: EventStreamOptions = EventStreamOptions()
    ) -> EventStream<ServerSentEvent> {
        EventStream(request, over: self, options) { $0 }
    }

    /// The values of a stream, decoded from the JSON of its events' data.
    ///
    /// ```swift
    /// let chat = try Request.post("https://api.example.com/chat", json: prompt)
    /// for try await delta in chain.events(chat, as: Delta.self, options: .untilDone) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - request: What to ask for; any method and body.
    ///   - type: The type of each value.
    ///   - decoder: Makes a decoder with the settings wanted; asked once for each stream.
    ///   - options: How the stream is read, and which types of events are wanted.
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
