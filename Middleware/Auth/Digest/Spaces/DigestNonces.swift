import HTTPChainSupport

/// The server's nonces for one protection space, each with its number of uses.
struct DigestNonces: Sendable {
    /// A use of a nonce.
    struct Use: Sendable, Hashable {
        /// The challenge of the nonce or, if the nonce came without one, of an earlier nonce.
        let challenge: DigestChallenge
        let nonce: String
        let count: UInt32
        let cnonce: String
        let key: DigestKey
    }

    struct Entry {
        let nonce: String
        /// The challenge whose values are returned with the nonce, because servers keep their state in `opaque`.
        var challenge: DigestChallenge
        /// The number of uses.
        var count: UInt32
        /// The session of the answers, if the algorithm has sessions.
        var session: Session?
    }

    struct Session {
        let cnonce: String
        let key: DigestKey
    }

    /// The maximum number of nonces.
    ///
    /// Replaced nonces are kept because they may come again: a server with time-based nonces sends the same nonce to
    /// several calls.
    static let capacity = 64

    /// The nonces in order of arrival; the last one is current.
    var entries: [Entry] = []

    /// Makes the nonce of a challenge current and counts its next use, continuing the count of a known nonce.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - key: The user's key.
    ///   - cnonce: A new nonce of the client.
    /// - Returns: `nil` if the count is exhausted.
    mutating func begin(_ challenge: DigestChallenge, key: DigestKey, cnonce: String) -> Use? {
        let nonce = challenge.nonce
        let index = entries.firstIndex { $0.nonce.hasSameBytes(as: nonce) }
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
    /// - Returns: `nil` if there is no nonce, or its eight-digit count is exhausted.
    mutating func next(key: DigestKey, cnonce: String) -> Use? {
        guard let index = entries.indices.last, entries[index].count < .max else { return nil }
        entries[index].count += 1
        let entry = entries[index]
        return Use(
            challenge: entry.challenge,
            nonce: entry.nonce,
            count: entry.count,
            // The client's nonce stays that of the first answer, because some servers compute a session's key from each
            // answer. This also works for servers that remember the session (RFC 7616 §3.4.2).
            cnonce: entry.session?.cnonce ?? cnonce,
            key: entry.session?.key ?? key
        )
    }

    /// Adds the server's next nonce, with its count at zero; a session keeps its key.
    ///
    /// - Parameters:
    ///   - nonce: The value of `nextnonce`.
    ///   - previous: The nonce of the answer that it came with.
    mutating func replace(_ previous: String, with nonce: String) {
        guard !entries.contains(where: { $0.nonce.hasSameBytes(as: nonce) }),
            let origin = entries.last(where: { $0.nonce.hasSameBytes(as: previous) })
        else { return }
        append(Entry(nonce: nonce, challenge: origin.challenge, count: 0, session: origin.session))
    }

    /// Ends the sessions, because the user's key has changed; counts are kept.
    mutating func endSessions() {
        for index in entries.indices { entries[index].session = nil }
    }

    private mutating func append(_ entry: Entry) {
        if entries.count >= Self.capacity { entries.removeFirst() }
        entries.append(entry)
    }
}
