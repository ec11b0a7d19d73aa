/// The nonces that a server gave for one protection space, each with the number of times it was used.
struct DigestNonces: Sendable {
    /// One use of a nonce.
    struct Use: Sendable, Hashable {
        /// The challenge that the nonce came with, or a nonce before it.
        let challenge: DigestChallenge
        let nonce: String
        let count: UInt32
        let cnonce: String
        let key: DigestKey
    }

    private struct Entry {
        let nonce: String
        /// What is sent back beside the nonce belongs to it: servers keep their own state under `opaque`.
        var challenge: DigestChallenge
        /// How often it was used.
        var count: UInt32
        /// The session that its answers belong to, where the algorithm has sessions.
        var session: Session?
    }

    private struct Session {
        let cnonce: String
        let key: DigestKey
    }

    /// How many are remembered: a server that makes them of the time gives the same one to several calls, and then one
    /// that was replaced comes again.
    static let capacity = 64

    /// In the order they came; the last one is current.
    private var entries: [Entry] = []

    init() {}

    /// Makes the nonce of a challenge current and counts its next use; one that is known is counted on, not anew.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - key: The user's key.
    ///   - cnonce: A new nonce of the client.
    /// - Returns: `nil` when it was used as often as can be counted.
    mutating func begin(_ challenge: DigestChallenge, key: DigestKey, cnonce: String) -> Use? {
        let nonce = challenge.nonce
        let index = entries.firstIndex { $0.nonce == nonce }
        var entry = index.map { entries.remove(at: $0) } ?? Entry(nonce: nonce, challenge: challenge, count: 0)
        entry.challenge = challenge
        if key.algorithm.isSession, entry.session == nil {
            entry.session = Session(cnonce: cnonce, key: key.session(nonce: nonce, cnonce: cnonce))
        }
        append(entry)
        return next(key: key, cnonce: cnonce)
    }

    /// Counts the next use of the current nonce.
    ///
    /// - Returns: `nil` when there is none, or it was used as often as eight digits can count.
    mutating func next(key: DigestKey, cnonce: String) -> Use? {
        guard let index = entries.indices.last, entries[index].count < .max else { return nil }
        entries[index].count += 1
        let entry = entries[index]
        return Use(
            challenge: entry.challenge,
            nonce: entry.nonce,
            count: entry.count,
            // A server may compute a session's key from what it finds in each answer: the client's nonce stays the
            // first one, which satisfies those that remember the session as well (RFC 7616 §3.4.2).
            cnonce: entry.session?.cnonce ?? cnonce,
            key: entry.session?.key ?? key
        )
    }

    /// Takes the nonce that the server wants next, counted from the beginning; a session goes on with its key.
    ///
    /// - Parameters:
    ///   - nonce: The value of `nextnonce`.
    ///   - previous: The nonce of the answer that it came with.
    mutating func replace(_ previous: String, with nonce: String) {
        guard !entries.contains(where: { $0.nonce == nonce }),
            let origin = entries.last(where: { $0.nonce == previous })
        else { return }
        append(Entry(nonce: nonce, challenge: origin.challenge, count: 0, session: origin.session))
    }

    /// Ends the sessions, because the user's key is another one; what was counted stays counted.
    mutating func endSessions() {
        for index in entries.indices { entries[index].session = nil }
    }

    private mutating func append(_ entry: Entry) {
        if entries.count >= Self.capacity { entries.removeFirst() }
        entries.append(entry)
    }

    /// The nonce that the next request uses.
    var current: String? { entries.last?.nonce }

    /// Counts all as used so often, to test what happens at the end of counting.
    mutating func setCounts(_ count: UInt32) {
        for index in entries.indices { entries[index].count = count }
    }
}
