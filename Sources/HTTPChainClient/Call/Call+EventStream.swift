public import Foundation
public import HTTPChainCore
public import HTTPChainEventStream

extension Call where Kind.Output == Response {
    /// The events of a stream, each of whose connections is a call like this one.
    ///
    /// ```swift
    /// for try await event in try client.makeCall(WatchPlants()).key("watch").eventStream() { print(event.data) }
    /// ```
    ///
    /// Cancelling the call in the registry ends the connection, and the stream with it. The stream keeps the client.
    ///
    /// - Parameter options: How the stream is read.
    /// - Throws: What making the request throws; ``UnsupportedRequestError`` if no endpoint supports it. What opening the
    ///   stream throws is thrown when its first event is asked for.
    public func eventStream(options: EventStreamOptions = EventStreamOptions()) throws -> EventStream<ServerSentEvent> {
        CallTransport(call: self).events(try streamRequest(), options: options)
    }

    /// The values of a stream, decoded from the JSON of its events' data; each of its connections is a call like this one.
    ///
    /// - Parameters:
    ///   - type: The type of each value.
    ///   - decoder: Makes a decoder with the settings wanted; asked once for each stream.
    ///   - options: How the stream is read, and which types of events are wanted.
    /// - Throws: What ``eventStream(options:)`` throws.
    public func eventStream<Value: Decodable & Sendable>(
        of type: Value.Type,
        decoder: @Sendable () -> JSONDecoder = { JSONDecoder() },
        options: EventStreamOptions = EventStreamOptions()
    ) throws -> EventStream<Value> {
        CallTransport(call: self).events(try streamRequest(), as: type, decoder: decoder, options: options)
    }

    /// The request for the first connection, with the clock that the stream waits on.
    private func streamRequest() throws -> Request {
        let core = client.core
        var http = try core.makeRequest(request, settings)
        switch try core.endpoint(for: request).handler {
        case .transport(let transport): (transport as? Chain)?.fillEnvironment(of: &http)
        case .mock: http.environment = core.environment
        }
        return http
    }
}

/// Sends each request as a call of its own.
private struct CallTransport<Kind: TypedRequest>: Transport where Kind.Output == Response {
    let call: Call<Kind>

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let request = request
        return try await call.with { _ in request }.value
    }
}
