// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// The part of a stored response that the rules use.
public import Foundation

public struct StoredResponse: Sendable {
    public struct Metadata: Sendable {
        public var requestTime: Date
        public var responseTime: Date
        public var lifetime: CacheLifetime
    }

    public var metadata: Metadata
    var facts: ResponseFacts
}

public struct CacheEntry: Sendable {
    package var response: StoredResponse
}
