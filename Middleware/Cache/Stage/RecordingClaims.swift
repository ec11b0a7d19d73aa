import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The responses that are being stored, or were just now: of calls that ask for the same at the same time, one stores
/// its response.
///
/// Each of the others still gives its response to its caller. A call that was sent after a recording had begun may
/// know better (it may be a reload), and stores its response too.
final class RecordingClaims: Sendable {
    fileprivate struct Place: Hashable {
        var key: CacheKey
        var variant: CacheVariant
        /// Which bytes it is, of a partial response.
        var part: Range<Int64>?
    }

    private struct Holder {
        var number: UInt64
        var metadata: CacheMetadata
    }

    private struct State {
        var last: UInt64 = 0
        var holders: [Place: Holder] = [:]
        /// The holders that stored last in some places, for calls that were sent before and are answered later.
        var fulfilled: [Place: Holder] = [:]
        var places: [Place] = []
    }
    /// The number of places that are remembered.
    private static let memory = 256

    private let state = Locked(State())

    /// The moment, to be shown again when the response has come.
    var stamp: UInt64 { state.withLock { $0.last } }

    /// Claims the place of a response; nil where the response of another call that was in flight at the same time is
    /// being stored there, or was.
    ///
    /// - Parameters:
    ///   - key: The key of the response.
    ///   - metadata: What is known of the response.
    ///   - stamp: The moment at which the call was sent.
    func claim(_ key: CacheKey, _ metadata: CacheMetadata, sentAt stamp: UInt64) -> RecordingClaim? {
        var place = Place(key: key, variant: metadata.variant)
        if case .part(let range, _) = metadata.content { place.part = range }
        return state.withLock { state in
            for holder in [state.holders[place], state.fulfilled[place]].compactMap({ $0 })
            where holder.number > stamp && !metadata.isNewer(than: holder.metadata) { return nil }
            state.last += 1
            state.holders[place] = Holder(number: state.last, metadata: metadata)
            return RecordingClaim(claims: self, place: place, number: state.last)
        }
    }

    fileprivate func release(_ place: Place, _ number: UInt64) {
        state.withLock { state in
            if state.holders[place]?.number == number { state.holders[place] = nil }
        }
    }

    fileprivate func fulfill(_ place: Place, _ number: UInt64) {
        state.withLock { state in
            guard let holder = state.holders[place], holder.number == number else { return }
            guard state.fulfilled.updateValue(holder, forKey: place) == nil else { return }
            state.places.append(place)
            if state.places.count > Self.memory { state.fulfilled[state.places.removeFirst()] = nil }
        }
    }
}

/// The right to store a response; it ends with the recording.
final class RecordingClaim: Sendable {
    private let claims: RecordingClaims
    private let place: RecordingClaims.Place
    private let number: UInt64

    fileprivate init(claims: RecordingClaims, place: RecordingClaims.Place, number: UInt64) {
        self.claims = claims
        self.place = place
        self.number = number
    }

    deinit {
        release()
    }

    func release() { claims.release(place, number) }

    /// The response is stored.
    func fulfill() { claims.fulfill(place, number) }
}

extension CacheMetadata {
    /// Whether the server made this response later than another one, and not the same content again.
    fileprivate func isNewer(than other: CacheMetadata) -> Bool {
        let (own, old) = (head.headerFields, other.head.headerFields)
        guard let date = own[.date].flatMap({ HTTPDate($0) }), let earlier = old[.date].flatMap({ HTTPDate($0) }) else {
            return false
        }
        guard date.date > earlier.date else { return false }
        return own[.eTag] == nil || own[.eTag] != old[.eTag]
    }
}
