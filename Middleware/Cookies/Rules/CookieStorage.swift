package import Foundation
import HTTPChainCore
package import HTTPChainSupport

/// The cookies of a jar, and the effects of storing one on the others: RFC 6265bis §5.7 and §5.8.
///
/// It is a value. The jar adds the clock, the lock and the file.
package struct CookieStorage: Sendable {
    struct Entry: Sendable {
        var cookie: Cookie
        /// The cookie's name and value as in the `Cookie` field.
        var pair: String
        /// A sequence number, which orders cookies created at the same time.
        var sequence: Int
        var lastAccess: Date
    }

    /// The result of each `Set-Cookie` field, and the effects on other cookies.
    package struct Result: Sendable {
        package var outcomes: [CookieOutcome] = []
        package var effects: [CookieChange] = []
    }

    package let limits: CookieLimits
    /// The entries by domain, host-only or not.
    ///
    /// Those of a domain are in the order in which they are sent: the longest path first, then the oldest first.
    private(set) var entries: [String: [Entry]] = [:]
    package private(set) var count = 0
    private var nextSequence = 0
    /// For each hash, the number of domains in ``entries`` that have it.
    private var hashes: [DomainHash: Int] = [:]

    package init(limits: CookieLimits = CookieLimits()) {
        self.limits = limits
    }

    package var isEmpty: Bool { count == 0 }

    /// All cookies, oldest first, including expired ones.
    package var cookies: [Cookie] { keptCookies.map(\.cookie) }

    /// All cookies with their last uses.
    var keptCookies: [KeptCookie] {
        entries.values.joined().sorted { $0.sequence < $1.sequence }
            .map { KeptCookie(cookie: $0.cookie, lastAccess: $0.lastAccess) }
    }

    /// Stores the `Set-Cookie` fields of a response.
    ///
    /// - Returns: The outcome of each field, and the effects on other cookies.
    package mutating func store(
        _ fields: [String],
        from target: CookieTarget,
        at now: Date
    ) -> Result {
        var result = Result()
        for (index, field) in fields.enumerated() {
            var name = ""
            do throws(CookieReason) {
                guard index < limits.fieldsPerResponse else { throw .tooManyFields }
                let parsed = try SetCookie(field, limits: limits)
                name = parsed.name
                let cookie = try CookieRules.cookie(parsed, for: target, at: now, limits: limits)
                if !cookie.isSecure, !target.isSecure, overlaysSecureCookie(cookie) { throw .overlaysSecureCookie }
                result.effects += insert(cookie, at: now)
                result.outcomes.append(CookieOutcome(name: name, domain: cookie.domain, reason: nil))
            } catch {
                result.outcomes.append(CookieOutcome(name: name, domain: target.host.text, reason: error))
            }
        }
        return result
    }

    /// Inserts a cookie, replacing the one with the same key, and evicts cookies if necessary.
    ///
    /// If the new cookie has expired, only removes the old one.
    mutating func insert(_ cookie: Cookie, at now: Date) -> [CookieChange] {
        var effects: [CookieChange] = []
        var bucket = entries[cookie.domain] ?? []
        let old = bucket.firstIndex { $0.cookie.key == cookie.key }.map { bucket.remove(at: $0) }
        if old != nil { count -= 1 }
        if cookie.isExpired(at: now) {
            setEntries(bucket, of: cookie.domain)
            return old.map { [.removed($0.cookie, .alreadyExpired)] } ?? []
        }
        var cookie = cookie
        if let old { cookie.created = old.cookie.created }
        let entry = Entry(
            cookie: cookie,
            pair: cookie.name.isEmpty ? cookie.value.revealed : "\(cookie.name)=\(cookie.value.revealed)",
            sequence: old?.sequence ?? nextSequence,
            lastAccess: now
        )
        nextSequence += 1
        let place = bucket.firstIndex { Self.isSent(entry, before: $0) } ?? bucket.endIndex
        bucket.insert(entry, at: place)
        setEntries(bucket, of: cookie.domain)
        count += 1
        effects.append(old == nil ? .added(cookie) : .replaced(cookie))
        effects += makeRoom(in: cookie.domain, at: now)
        return effects
    }

    private static func isSent(_ one: Entry, before other: Entry) -> Bool {
        let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        return lengths.0 == lengths.1 ? one.sequence < other.sequence : lengths.0 > lengths.1
    }

    /// Removes cookies.
    package mutating func remove(because reason: CookieReason, where isRemoved: (Cookie) -> Bool) -> [CookieChange] {
        var effects: [CookieChange] = []
        for (domain, bucket) in entries {
            let kept = bucket.filter { entry in
                if !isRemoved(entry.cookie) { return true }
                effects.append(.removed(entry.cookie, reason))
                return false
            }
            guard kept.count < bucket.count else { continue }
            count -= bucket.count - kept.count
            setEntries(kept, of: domain)
        }
        return effects
    }

    private mutating func setEntries(_ bucket: [Entry], of domain: String) {
        let old = entries.updateValue(bucket, forKey: domain)
        if old == nil, !bucket.isEmpty { hashes[DomainHash(domain), default: 0] += 1 }
        guard bucket.isEmpty else { return }
        entries[domain] = nil
        guard old != nil else { return }
        let hash = DomainHash(domain)
        hashes[hash] = hashes[hash].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// Returns the cookies of a file that another process has changed, together with this storage's cookies that aren't
    /// kept in files.
    ///
    /// A cookie that is in both has the later of its two last uses.
    func merged(with written: [KeptCookie], keepingSession: Bool) -> CookieStorage {
        var result = CookieStorage(limits: limits)
        let lastAccess = Dictionary(entries.values.joined().map { ($0.cookie.key, $0.lastAccess) }) { $1 }
        for one in written {
            _ = result.insert(one.cookie, at: max(lastAccess[one.cookie.key] ?? one.lastAccess, one.lastAccess))
        }
        if keepingSession {
            for one in keptCookies where !one.cookie.isPersistent {
                _ = result.insert(one.cookie, at: one.lastAccess)
            }
        }
        return result
    }

    /// Returns the differences from another storage, for jars that share a file; files don't contain expired cookies.
    package func differences(to other: CookieStorage, at now: Date) -> [CookieChange] {
        let before = Dictionary(cookies.map { ($0.key, $0) }) { $1 }
        let after = Dictionary(other.cookies.map { ($0.key, $0) }) { $1 }
        return cookies.filter { after[$0.key] == nil }
            .map { .removed($0, $0.isExpired(at: now) ? .expired : .removedElsewhere) }
            + other.cookies.compactMap { cookie in
                guard let old = before[cookie.key] else { return .added(cookie) }
                return old == cookie ? nil : .replaced(cookie)
            }
    }

    /// §5.7 step 16: whether a cookie from an insecure connection would hide a secure one with the same name.
    private func overlaysSecureCookie(_ cookie: Cookie) -> Bool {
        func overlays(_ other: Cookie) -> Bool {
            other.isSecure && other.name.hasSameBytes(as: cookie.name)
                && (other.host.isWithin(cookie.host) || cookie.host.isWithin(other.host))
                && CookiePath.matches(cookie.path, other.path)
        }
        return entries.values.contains { $0.contains { overlays($0.cookie) } }
    }

    /// Evicts cookies in the order of §5.7: first expired ones, then the least recently used of a domain with too many
    /// (insecure ones first), then the least recently used of all.
    private mutating func makeRoom(in domain: String, at now: Date) -> [CookieChange] {
        guard count > limits.total || (entries[domain]?.count ?? 0) > limits.perDomain else { return [] }
        var effects = remove(because: .expired) { $0.isExpired(at: now) }
        while let bucket = entries[domain], bucket.count > limits.perDomain {
            let insecure = bucket.indices.filter { !bucket[$0].cookie.isSecure }
            let candidates = insecure.isEmpty ? Array(bucket.indices) : insecure
            guard let index = candidates.min(by: { Self.isOlder(bucket[$0], bucket[$1]) }) else { break }
            effects.append(evict(index, of: domain))
        }
        while count > limits.total {
            let oldest = entries.compactMap { domain, bucket in
                bucket.indices.min { Self.isOlder(bucket[$0], bucket[$1]) }.map { (domain, $0, bucket[$0]) }
            }.min { Self.isOlder($0.2, $1.2) }
            guard let (domain, index, _) = oldest else { break }
            effects.append(evict(index, of: domain))
        }
        return effects
    }

    private static func isOlder(_ one: Entry, _ other: Entry) -> Bool {
        (one.lastAccess, one.sequence) < (other.lastAccess, other.sequence)
    }

    private mutating func evict(_ index: Int, of domain: String) -> CookieChange {
        var bucket = entries[domain] ?? []
        let cookie = bucket.remove(at: index).cookie
        setEntries(bucket, of: domain)
        count -= 1
        return .removed(cookie, .evicted)
    }
}

extension CookieStorage {
    /// Whether there may be cookies of an authority's host or the domains above it.
    ///
    /// Returns true if the authority has no valid host, or if another domain has the same hash.
    package func mayHaveCookies(forAuthority authority: String) -> Bool {
        if hashes.isEmpty { return false }
        let quick = authority.utf8.withContiguousStorageIfAvailable { mayHaveCookies(forPlain: $0) } ?? nil
        return quick ?? Authority(authority)?.host.domains.contains { hashes[DomainHash($0.text)] != nil } ?? true
    }

    /// The same as `mayHaveCookies(forAuthority:)`, for a host that is clearly a name in canonical form; nil for
    /// others.
    ///
    /// It creates no strings, because nearly every call uses it, and few calls have cookies.
    private func mayHaveCookies(forPlain authority: UnsafeBufferPointer<UInt8>) -> Bool? {
        var hash = DomainHash()
        var isPort = true
        var isLastLabel = true
        var isFound = false
        var previous: UInt8?
        for byte in authority.reversed() {
            switch byte {
            case UInt8(ascii: ":") where isPort:
                hash = DomainHash()
                isPort = false
                previous = nil
                continue
            case UInt8(ascii: "."):
                // If the last label begins with a digit, the host may be an address, which can be written in many ways.
                if isLastLabel, let previous, Self.isDigit(previous) { return nil }
                isLastLabel = isLastLabel && previous == nil
                isFound = isFound || hashes[hash] != nil
                isPort = false
            case UInt8(ascii: "0")...UInt8(ascii: "9"): previous = byte
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                isPort = false
                previous = byte
            default: return nil
            }
            hash.combine(byte)
        }
        if isLastLabel, let previous, Self.isDigit(previous) { return nil }
        return isFound || hashes[hash] != nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns the pairs of name and value in the `Cookie` field of a request; this counts as a use of the cookies.
    ///
    /// - Parameter replaced: The names that the call sends itself.
    package mutating func pairs(
        for target: CookieTarget,
        at now: Date,
        without replaced: Set<ExactText> = []
    ) -> [String] {
        var chosen: [(domain: String, index: Int)] = []
        var sources = 0
        for (depth, domain) in target.host.domains.map(\.text).enumerated() {
            guard let bucket = entries[domain] else { continue }
            let before = chosen.count
            for index in bucket.indices
            where (depth == 0 || !bucket[index].cookie.isHostOnly)
                && CookieRules.refusalWithinHost(of: bucket[index].cookie, for: target, at: now) == nil
                && (replaced.isEmpty || !replaced.contains(ExactText(bucket[index].cookie.name)))
            {
                chosen.append((domain, index))
            }
            if chosen.count > before { sources += 1 }
        }
        if chosen.isEmpty { return [] }
        if sources > 1 {
            chosen.sort { one, other in
                guard let one = entries[one.domain]?[one.index], let other = entries[other.domain]?[other.index] else {
                    return false
                }
                return Self.isSent(one, before: other)
            }
        }
        var pairs: [String] = []
        pairs.reserveCapacity(min(chosen.count, limits.perRequest))
        var length = 0
        for (domain, index) in chosen.prefix(limits.perRequest) {
            guard let pair = entries[domain]?[index].pair else { continue }
            length += pair.utf8.count + (pairs.isEmpty ? 0 : 2)
            guard length <= limits.requestField else { break }
            pairs.append(pair)
            entries[domain]?[index].lastAccess = now
        }
        return pairs
    }

    /// Returns the cookies that a request carries, in order, and the reasons for not sending the others of its host and
    /// the domains above it.
    package func judgement(of target: CookieTarget, at now: Date) -> (
        sent: [Cookie], withheld: [(Cookie, CookieReason)]
    ) {
        let buckets = target.host.domains.compactMap { entries[$0.text] }
        // The cookies of each domain are already sorted.
        let near = buckets.count == 1 ? buckets[0] : buckets.joined().sorted(by: Self.isSent)
        var sent: [Cookie] = []
        var withheld: [(Cookie, CookieReason)] = []
        var length = 0
        var isFull = false
        // Uses indices, because copying the entries is expensive.
        for index in near.indices {
            if let reason = CookieRules.refusal(of: near[index].cookie, for: target, at: now) {
                withheld.append((near[index].cookie, reason))
                continue
            }
            length += near[index].pair.utf8.count + (sent.isEmpty ? 0 : 2)
            isFull = isFull || sent.count == limits.perRequest || length > limits.requestField
            if isFull {
                withheld.append((near[index].cookie, .requestFull))
            } else {
                sent.append(near[index].cookie)
            }
        }
        return (sent, withheld)
    }
}

/// A hash of a domain's bytes, starting from the end.
///
/// One pass over a host then yields the hashes of all domains above it.
private struct DomainHash: Hashable {
    // The offset basis of FNV-1a.
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    init(_ domain: String) {
        for byte in domain.utf8.reversed() { combine(byte) }
    }

    mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
