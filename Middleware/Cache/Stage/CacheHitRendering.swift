import HTTPChainCore
import HTTPTypes

/// The head of a hit with its `Age` and `Cache-Status`: hits of an entry within one second differ in nothing.
struct CacheHitRendering: Sendable {
    let cache: String
    let age: Int64
    let timeToLive: Int64
    let head: HTTPResponse
    let options: ResponseOptions
}
