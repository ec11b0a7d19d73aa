import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The responses that are being stored, or were just stored.
///
/// If concurrent calls get the same response, only one of them stores it.
///
/// The other calls still return their responses. A call that was sent after a recording began may be a reload, whose
/// response is newer, so it stores its response too.
final class RecordingClaims: Sendable {
    fileprivate struct Place: Hashable {
        var key: CacheKey
        var variant: CacheVariant
        /// The range of a partial response.
        var part: Range<Int64>?
    }

    private struct Holder {
        var number: UInt64
        var metadata: CacheMetadata
    }

    /// The state of one place; it is never empty.
    private struct Standing {
        /// The claim whose response is being stored.
        var holder: Holder?
        /// The last claim that stored a response; it is kept for calls that were sent earlier and complete later.
        var fulfilled: Holder?
    }

    private struct State {
        var last: UInt64 = 0
        var standings: [Place: Standing] = [:]
        /// The places where responses were stored, oldest first.
        var places: [Place] = []

        mutating func forgetOldest() {
            let oldest = places.removeFirst()
            standings[oldest]?.fulfilled = nil
            if standings[oldest]?.holder == nil { standings[oldest] = nil }
        }
    }
    /// The number of places that are kept after their responses were stored.
    private static let memory = 256

    private let state = Locked(State())

    /// The current stamp; it is compared when the response has arrived.
    var stamp: UInt64 { state.withLock { $0.last } }

    /// Claims the place of a response; returns nil if a concurrent call is storing a response there, or has stored one.
    ///
    /// - Parameters:
    ///   - key: The key of the response.
    ///   - metadata: The metadata of the response so far.
    ///   - stamp: The stamp at the time the call was sent.
    func claim(_ key: CacheKey, _ metadata: CacheMetadata, sentAt stamp: UInt64) -> RecordingClaim? {
        var place = Place(key: key, variant: metadata.variant)
        if case .part(let range, _) = metadata.content { place.part = range }
        func isAhead(_ holder: Holder?) -> Bool {
            holder.map { $0.number > stamp && !metadata.isNewer(than: $0.metadata) } ?? false
        }
        func take(_ standing: inout Standing, _ number: UInt64) -> Bool {
            if isAhead(standing.holder) || isAhead(standing.fulfilled) { return false }
            standing.holder = Holder(number: number, metadata: metadata)
            return true
        }
        return state.withLock { state in
            let number = state.last + 1
            guard take(&state.standings[place, default: Standing()], number) else { return nil }
            state.last = number
            return RecordingClaim(claims: self, place: place, number: number)
        }
    }

    /// Ends a claim.
    fileprivate func release(_ place: Place, _ number: UInt64, isFulfilled: Bool) {
        state.withLock { state in
            guard let index = state.standings.index(forKey: place),
                let holder = state.standings.values[index].holder, holder.number == number
            else { return }
            state.standings.values[index].holder = nil
            guard isFulfilled else {
                if state.standings.values[index].fulfilled == nil { state.standings.remove(at: index) }
                return
            }
            let isKnown = state.standings.values[index].fulfilled != nil
            state.standings.values[index].fulfilled = holder
            guard !isKnown else { return }
            state.places.append(place)
            if state.places.count > Self.memory { state.forgetOldest() }
        }
    }
}

/// The right to store a response; it ends with the recording.
final class RecordingClaim: Sendable {
    private let claims: RecordingClaims
    private let place: RecordingClaims.Place
    private let number: UInt64
    private let isOpen = Locked(true)

    fileprivate init(claims: RecordingClaims, place: RecordingClaims.Place, number: UInt64) {
        self.claims = claims
        self.place = place
        self.number = number
    }

    deinit {
        release()
    }

    func release() { end(isFulfilled: false) }

    /// Marks the response as stored and ends the claim.
    func fulfill() { end(isFulfilled: true) }

    private func end(isFulfilled: Bool) {
        let isFirst = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if isFirst { claims.release(place, number, isFulfilled: isFulfilled) }
    }
}

extension CacheMetadata {
    /// Whether the server created this response later than another one, and with different content.
    fileprivate func isNewer(than other: CacheMetadata) -> Bool {
        let (own, old) = (head.headerFields, other.head.headerFields)
        guard let date = own.value(of: .date).flatMap({ HTTPDate($0) }),
            let earlier = old.value(of: .date).flatMap({ HTTPDate($0) }), date.date > earlier.date
        else { return false }
        let tag = own.value(of: .eTag)
        return tag == nil || tag != old.value(of: .eTag)
    }
}
