public import Foundation
public import HTTPChainCore
public import HTTPChainEventStream

extension Call where Kind.Output == Response {
    /// Returns the events of a stream.
    ///
    /// Each of its connections is a call like this one.
    ///
    /// ```swift
    /// for try await event in try client.makeCall(WatchPlants()).key("watch").eventStream() { print(event.data) }
    /// ```
    ///
    /// Cancelling the call in the registry ends the connection and with it the stream. The stream retains the client.
    ///
    /// - Parameter options: The options for reading the stream.
    /// - Throws: Any error from making the request; ``UnsupportedRequestError`` if no endpoint supports it. Requesting
    ///   the first event throws errors from opening the stream.
    public func eventStream(options: EventStreamOptions = EventStreamOptions()) throws -> EventStream<ServerSentEvent> {
        CallTransport(call: self).events(try streamRequest(), options: options)
    }

    /// Returns the values of a stream, decoded from the JSON in its events' data.
    ///
    /// Each of its connections is a call like this one.
    ///
    /// - Parameters:
    ///   - type: The type of each value.
    ///   - decoder: A closure that makes a decoder with the settings you need, called once for each stream.
    ///   - options: The options for reading the stream, including the types of events to deliver.
    /// - Throws: The same errors as ``eventStream(options:)``.
    public func eventStream<Value: Decodable & Sendable>(
        of type: Value.Type,
        decoder: @Sendable () -> JSONDecoder = { JSONDecoder() },
        options: EventStreamOptions = EventStreamOptions()
    ) throws -> EventStream<Value> {
        CallTransport(call: self).events(try streamRequest(), as: type, decoder: decoder, options: options)
    }

    /// Makes the request for the first connection; its clock is also the stream's.
    private func streamRequest() throws -> Request {
        let core = client.core
        var http = try core.makeRequest(request, settings)
        switch try core.endpoint(for: request).handler {
        case .transport(let transport): Chain.fillEnvironment(of: &http, over: transport)
        case .mock: http.environment = core.environment
        }
        return http
    }
}

/// Sends each request as a separate call.
private struct CallTransport<Kind: TypedRequest>: Transport where Kind.Output == Response {
    let call: Call<Kind>

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let request = request
        return try await call.with { _ in request }.value
    }
}
