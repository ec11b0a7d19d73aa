import HTTPChainCore
import HTTPTypes

/// The reports of a cache: its events, and the cache status of each response.
struct CacheReports: Sendable {
    /// The name of the cache in `Cache-Status`.
    let name: String
    let events: CacheEvents
    /// The `Cache-Status` fields for forwarded requests with a 200 response, by reason, and by whether the response is
    /// stored.
    ///
    /// They are prepared, because rendering and validating a field takes a tenth of the time of a call, and there are
    /// only a few.
    private let fields: [HTTPField]
    /// The status of a call for which the cache is off and whose response is a 200, as for most such calls.
    private let off: CacheStatus
    private let preparedOff: PreparedOption

    private static let forwards = CacheStatus.Forward.allCases

    init(name: String, events: CacheEvents) {
        self.name = name
        self.events = events
        off = CacheStatus(cache: name, forward: CacheReason.off.forward, forwardStatus: 200, reason: .off)
        preparedOff = PreparedOption(CacheStatusFact.self, off)
        fields = Self.forwards.flatMap { forward in
            [false, true].map { isStored in
                let status = CacheStatus(
                    cache: name,
                    forward: forward,
                    forwardStatus: 200,
                    isStored: isStored,
                    reason: .notStored
                )
                return HTTPField(name: .cacheStatus, value: status.description)
            }
        }
    }

    private func field(for status: CacheStatus) -> HTTPField {
        guard status.forwardStatus == 200, !status.isHit, status.timeToLive == nil, status.detail == nil,
            let index = Self.forwards.firstIndex(where: { $0 == status.forward })
        else { return HTTPField(name: .cacheStatus, value: status.description) }
        return fields[2 * index + (status.isStored ? 1 : 0)]
    }

    /// The status of a request that is sent to the server, with the status code of its response.
    func status(_ reason: CacheReason, answered code: Int? = nil) -> CacheStatus {
        CacheStatus(cache: name, forward: reason.forward, forwardStatus: code, reason: reason)
    }

    /// Adds the status of a call for which the cache is off.
    func attachOff(to response: inout Response) {
        let code = response.status.code
        guard code == off.forwardStatus else { return attach(status(.off, answered: code), to: &response) }
        addField(for: off, to: &response)
        response.options.set(preparedOff)
    }

    /// Adds the cache's status after those of the other caches on the path, RFC 9211 §2.
    func attach(_ status: CacheStatus, to response: inout Response) {
        addField(for: status, to: &response)
        response.options[CacheStatusFact.self] = status
    }

    private func addField(for status: CacheStatus, to response: inout Response) {
        guard response.head.headerFields.count < HTTPFields.capacity else { return }
        response.head.headerFields.append(field(for: status))
    }
}
