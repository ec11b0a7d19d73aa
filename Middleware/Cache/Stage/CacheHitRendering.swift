import HTTPChainCore
import HTTPTypes

/// The head of a hit with its `Age` and `Cache-Status`, shared by all hits of an entry within the same second.
struct CacheHitRendering: Sendable {
    let cache: String
    let age: Int64
    let timeToLive: Int64
    let head: HTTPResponse
    let options: ResponseOptions
}
