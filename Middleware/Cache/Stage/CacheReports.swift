import HTTPChainCore
import HTTPTypes

/// The reports of a cache: its events, and the status of each response.
struct CacheReports: Sendable {
    /// The name of the cache in `Cache-Status`.
    let name: String
    let events: CacheEvents
    private let fields: CacheStatusFields

    init(name: String, events: CacheEvents) {
        self.name = name
        self.events = events
        fields = CacheStatusFields(cache: name)
    }

    /// Adds the cache's status after those of other caches on the path, RFC 9211 §2.
    func attach(_ status: CacheStatus, to response: inout Response) {
        if response.head.headerFields.count < HTTPFields.capacity {
            response.head.headerFields.append(fields.field(for: status))
        }
        response.options[CacheStatusOption.self] = status
    }
}
