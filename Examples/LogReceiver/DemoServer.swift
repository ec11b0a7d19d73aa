import Foundation
import HTTPChain
import HTTPChainInMemory

/// A shop's server, without a network.
///
/// Some responses are slow, some fail, and some are 404.
struct DemoServer {
    let transport = InMemoryTransport()

    /// Resets the scripted replies.
    func prepare() {
        transport.reset()
        let plants = Data(#"[{"id":7,"name":"Fern"},{"id":8,"name":"Ivy"}]"#.utf8)
        transport.on(.get, "/plants", reply: .init(headers: json(maxAge: 3600), body: HTTPBody(plants)).slow(180))
        let photo = (0..<6).map { _ in Data(repeating: 7, count: 20_000) }
        let picture = ScriptedReply(headers: [.contentType: "image/jpeg"], chunks: photo)
        transport.on(.get, "/plants/7/photo", reply: picture.slow(120, betweenChunks: 60))
        let busy = HTTPBody(#"{"title":"The warehouse is busy"}"#)
        transport.on(.get, "/stock/7", reply: .init(headers: json(), body: #"{"count":3}"#).slow(140))
        transport.on(
            .get,
            "/stock/7",
            replies: [60, 90].map { .init(.serviceUnavailable, headers: json(), body: busy).slow($0) }
        )
        transport.on(.post, "/orders", reply: .init(.created, headers: json(), body: #"{"id":42}"#).slow(230))
        transport.on(.get, "/plants/404", reply: .init(.notFound, headers: json(), body: #"{"title":"None"}"#).slow(40))
        transport.on(.get, "/weather", reply: .init(headers: json(), body: #"{"sky":"blue"}"#).slow(70))
        let lost = ScriptedReply(headers: json()).slow(200).failing(.beforeHead(.connectionLost))
        transport.on(.get, "/weather", replies: [lost])
        let dead = ScriptedReply().slow(110).failing(.beforeConnect(.cannotConnect))
        transport.on(.post, "/supplier", reply: dead)
    }

    private func json(maxAge: Int? = nil) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.cacheControl] = maxAge.map { "max-age=\($0)" }
        return fields
    }
}

extension ScriptedReply {
    /// Delays the reply, and each of its chunks, by a number of milliseconds.
    fileprivate func slow(_ milliseconds: Int, betweenChunks pause: Int = 0) -> ScriptedReply {
        delayed(by: .milliseconds(milliseconds), betweenChunks: .milliseconds(pause))
    }
}
