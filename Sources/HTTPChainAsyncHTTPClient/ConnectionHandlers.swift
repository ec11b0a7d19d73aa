#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// This transport's handlers for the connections of its clients.
enum ConnectionHandlers {
    /// Adds the handlers to each connection, after the configuration's own initializers.
    ///
    /// Existing handlers aren't added again.
    static func add(to configuration: inout HTTPClient.Configuration) {
        extend(\.http1_1ConnectionDebugInitializer, of: &configuration) { pipeline in
            guard !contains(UploadEndHandler.self, pipeline) else { return }
            try pipeline.addHandler(UploadEndHandler(), position: .first)
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let guardian = ResponseHeadGuard<HTTPClientResponsePart> { ReceivedHead($0) }
            try pipeline.addHandler(guardian, position: .after(decoder))
            let fieldBytes = FieldBytesHandler()
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(fieldBytes, position: .before(encoder))
            try pipeline.addHandler(ExchangeHandler(fieldBytes), position: .after(decoder))
        }
        extend(\.http2ConnectionDebugInitializer, of: &configuration) { pipeline in
            guard !contains(ConnectionErrorHandler.self, pipeline) else { return }
            let http2 = try pipeline.handler(type: NIOHTTP2Handler.self)
            let goAway = GoAwayWatch()
            try pipeline.addHandler(goAway, position: .before(http2))
            try pipeline.addHandler(ConnectionErrorHandler(goAway), position: .after(http2))
        }
        extend(\.http2StreamChannelDebugInitializer, of: &configuration) { pipeline in
            guard !contains(ResponseHeadGuard<HTTP2Frame.FramePayload>.self, pipeline) else { return }
            // Added before the codec, because the codec would trap.
            let guardian = ResponseHeadGuard<HTTP2Frame.FramePayload> { ReceivedHead($0) }
            try pipeline.addHandler(guardian, position: .first)
            let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
            try pipeline.addHandler(EarlyResponseHandler(), position: .after(codec))
            try pipeline.addHandler(ExchangeHandler(), position: .after(codec))
            try pipeline.addHandler(StreamErrorHandler(), position: .first)
        }
    }

    private static func contains<Handler: ChannelHandler>(
        _ type: Handler.Type,
        _ pipeline: ChannelPipeline.SynchronousOperations
    ) -> Bool {
        (try? pipeline.handler(type: type)) != nil
    }

    private static func extend(
        _ initializer: WritableKeyPath<HTTPClient.Configuration, (@Sendable (any Channel) -> EventLoopFuture<Void>)?>,
        of configuration: inout HTTPClient.Configuration,
        _ work: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) {
        let initialize = configuration[keyPath: initializer]
        configuration[keyPath: initializer] = { channel in
            let initialized = initialize?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
            return initialized.flatMapThrowing { try work(channel.pipeline.syncOperations) }
        }
    }
}
#endif
