#if Valkey
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainValkey

/// A store's connection to the server.
///
/// It runs scripts, pauses while the server fails, and tracks the server's clock and invalidations.
final class CacheServer: Sendable {
    /// A position in the server's log of invalidations.
    private struct Position: Equatable {
        var epoch = ""
        var number: Int64 = 0
    }

    private struct State {
        var position = Position()
        /// The removals that failed; they are repeated until they succeed.
        var missed: [UInt64: CacheSelection] = [:]
        var lastMiss: UInt64 = 0
        /// The indexes whose entries have not been removed completely.
        var unswept: [[UInt8]] = []
        /// The number of events known to this store that may have removed entries.
        var removals: UInt64 = 0

        /// Records an index whose entries must be removed.
        ///
        /// If there are too many indexes, the oldest is dropped, and its entries expire.
        mutating func leave(_ index: [UInt8]) {
            if unswept.count >= CacheServer.missedLimit { unswept.removeFirst() }
            unswept.append(index)
        }
    }

    /// The range of entry identifiers; they are small enough for a composition of stores to number them.
    static let ids: Range<UInt64> = 1..<(1 << 56)
    /// The number of entries removed in one step.
    private static let slice = 1000
    private static let missedLimit = 64
    /// The number of slices after which a removal gives up; it allows for more entries than a server can hold.
    private static let sliceLimit = 100_000
    /// The maximum length of an epoch's name in bytes.
    private static let longestEpoch = 256
    /// The maximum size of content sent with the description.
    private static let small = 16_384

    let options: ValkeyCacheOptions
    let clock: ServerClock
    private let client: ValkeyClient
    private let prefix: [UInt8]
    /// A name for this store's own invalidations, which it ignores in the server's log.
    private let nonce: String
    private let invalidations: InvalidationLog
    private let circuit: ServerCircuit
    private let gate: CommandGate
    private let state = Locked(State())

    init(
        _ client: ValkeyClient,
        _ options: ValkeyCacheOptions,
        _ invalidations: InvalidationLog,
        _ time: any TimeSource
    ) {
        self.client = client
        self.options = options
        self.invalidations = invalidations
        prefix = Array(options.prefix.utf8)
        // The first digit is nonzero, so that the length is constant.
        nonce = String(UInt64.random(in: (1 << 60)..<(1 << 61)), radix: 16)
        clock = ServerClock(time)
        circuit = ServerCircuit(threshold: options.failuresBeforePause, pause: options.pause, time: time)
        gate = CommandGate(width: options.blocksInFlight)
    }

    var address: String { client.server }

    // MARK: - Requests

    private func ask<Value: Sendable>(_ question: () async throws -> Value) async throws -> Value {
        guard circuit.admits() else {
            throw CacheStoreFault(.server(address, "it failed before, and is not contacted for a while"))
        }
        do {
            let value = try await question()
            circuit.succeed()
            return value
        } catch let error as ValkeyError {
            // An error reply shows that the server is reachable.
            if error.kind == .server { circuit.succeed() } else { circuit.fail() }
            throw CacheStoreFault(.server(address, error.reason))
        } catch {
            circuit.withdraw()
            throw error
        }
    }

    private func run(_ script: String, _ arguments: [CacheArgument], isToEnd: Bool = false) async throws -> RESPValue {
        try await ask {
            try await client.run(script, keys: [prefix], arguments: arguments.map(\.bytes), isToEnd: isToEnd)
        }
    }

    private func command(_ parts: [CacheArgument]) async throws -> RESPValue {
        try await ask { try await client.send(ValkeyCommand(parts.map(\.bytes))) }
    }

    var malformed: CacheStoreFault {
        CacheStoreFault(.server(address, "it sent an unexpected reply"))
    }

    private func key(_ name: String) -> CacheArgument { CacheArgument(prefix + Array(name.utf8)) }

    // MARK: - Invalidations

    private var position: [CacheArgument] {
        let position = state.withLock { $0.position }
        return [CacheArgument(nonce), CacheArgument(position.epoch), CacheArgument(position.number)]
    }

    /// Handles the first part of a reply: the time, and the invalidations by others.
    ///
    /// - Returns: The number of removals recorded.
    @discardableResult
    private func take(_ value: RESPValue?, sentAt: Date) throws -> UInt64 {
        guard case .list(let parts) = value, parts.count == 6, let seconds = parts[0].count,
            let micros = parts[1].count, let epoch = parts[2].string, epoch.utf8.count <= Self.longestEpoch,
            let number = parts[3].count, let isMissed = parts[4].count, case .list(let lines) = parts[5]
        else { throw malformed }
        clock.learn(Double(seconds) + Double(micros) * 1e-6, sentAt: sentAt)
        return state.withLock { state in
            let known = state.position
            // Replies may arrive out of order.
            if epoch == known.epoch, number <= known.number { return 0 }
            state.position = Position(epoch: epoch, number: number)
            // This is the first reply, so nothing of this store was in flight.
            if known.epoch.isEmpty { return 0 }
            state.removals += 1
            // It isn't known what has been invalidated since then.
            if epoch != known.epoch || isMissed != 0 {
                invalidations.note(.all)
                return 1
            }
            for (index, line) in lines.enumerated() {
                // Each line of the log counts once.
                guard number - Int64(lines.count - 1 - index) > known.number, let text = line.string,
                    !text.begins(with: nonce)
                else { continue }
                let what = text.utf8.dropFirst(nonce.utf8.count)
                invalidations.note(what.first == UInt8(ascii: "u") ? .url(String(Substring(what.dropFirst()))) : .all)
            }
            return 1
        }
    }

    /// Makes sure that the server's log and clock are known before a write.
    private func synchronize() async throws {
        guard clock.reading == nil || state.withLock({ $0.position.epoch.isEmpty }) else { return }
        _ = try await lookUp([])
        // The response that is about to be written was requested before that, so it may be invalid.
        invalidations.note(.all)
    }

    // MARK: - Entries

    struct Found {
        let id: String
        let head: [UInt8]?
        let clock: ClockReading?
        /// The encoded content, if it was returned with the description.
        var content: [UInt8]?
        /// The value of the removal counter before the look-up.
        var removals: UInt64 = 0
    }

    /// The removal counter; any content that was read before the counter changed isn't used.
    var removals: UInt64 { state.withLock { $0.removals } }

    /// Increments the removal counter.
    ///
    /// Called before and after removals, so that content read in between isn't used afterwards.
    private func noteRemoval() { state.withLock { $0.removals += 1 } }

    func lookUp(_ key: [UInt8]) async throws -> [Found] {
        try await removeMissed()
        let sentAt = clock.now
        let removals = removals
        let small = CacheArgument(Self.small + SealedBytes.overhead)
        let answer = try await run(CacheScripts.lookup, position + [CacheArgument(key), small])
        guard case .list(let parts) = answer, parts.count >= 2 else { throw malformed }
        let noted = try take(parts[0], sentAt: sentAt)
        var found = try found(parts.dropFirst(2))
        if found.count == 1 {
            found[0].content = parts[1].data
            // The removals that this reply reports happened before the content was read.
            found[0].removals = removals + noted
        }
        return found
    }

    /// Records a use of an entry without waiting; if that is lost, the entry merely seems less used.
    func use(_ id: String) {
        client.post(CacheScripts.use, keys: [options.prefix], arguments: [id], mayBeLost: true)
    }

    func describe(_ ids: [String]) async throws -> [Found] {
        let answer = try await run(CacheScripts.describe, ids.map { CacheArgument($0) })
        guard case .list(let parts) = answer else { throw malformed }
        return try found(parts[...])
    }

    private func found(_ parts: ArraySlice<RESPValue>) throws -> [Found] {
        var (rest, result) = (parts, [Found]())
        while rest.count >= 4 {
            let entry = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            guard let id = entry[0].string else { throw malformed }
            let reading = entry[2].double.flatMap { offset in
                entry[3].double.map { ClockReading(offset: offset, uncertainty: $0) }
            }
            result.append(Found(id: id, head: entry[1].data, clock: reading))
        }
        return result
    }

    /// Returns the identifiers of the entries in an index, page by page; each is returned at least once.
    func names(_ selection: CacheSelection, from cursor: String) async throws -> (ids: [String], cursor: String) {
        let answer: RESPValue
        var step = 1
        if let (kind, value) = selection.set {
            let index = CacheArgument(prefix + Array("\(kind):".utf8) + value)
            answer = try await command([CacheArgument("SSCAN"), index, CacheArgument(cursor), "COUNT", "100"])
        } else {
            step = 2
            answer = try await command(["ZSCAN", key("used"), CacheArgument(cursor), "COUNT", "100"])
        }
        guard case .list(let parts) = answer, parts.count == 2, let next = parts[0].string,
            case .list(let members) = parts[1]
        else { throw malformed }
        let ids = stride(from: 0, to: members.count, by: step).compactMap { members[$0].string }
        return (ids, next)
    }

    /// Returns the first blocks of an entry, and the block size; nil if the entry is gone.
    func open(_ id: String, blocks: ClosedRange<Int>, isMore: Bool) async throws -> (size: Int, blocks: [[UInt8]?])? {
        try await removeMissed()
        try await gate.enter()
        defer { gate.leave() }
        let answer = try await run(
            CacheScripts.open,
            [CacheArgument(id), CacheArgument(blocks.lowerBound), CacheArgument(blocks.upperBound), isMore ? "1" : "0"]
        )
        if case .null = answer { return nil }
        guard case .list(let parts) = answer, let size = parts.first?.integer,
            ValkeyCacheOptions.blockSizes.contains(size)
        else { throw malformed }
        return (Int(size), parts.dropFirst().map(\.data))
    }

    func read(_ id: String, block: Int, of count: Int) async throws -> [UInt8]? {
        try await gate.enter()
        defer { gate.leave() }
        let answer = try await run(CacheScripts.read, [CacheArgument(id), CacheArgument(block), CacheArgument(count)])
        return answer.data
    }

    // MARK: - Writing

    /// The lifetime of an unfinished entry's blocks.
    static let unfinished = Duration.seconds(600)

    /// Writes a block of an unfinished entry; returns false if the name is already taken.
    func write(_ bytes: [UInt8], block: Int, of id: String) async throws -> Bool {
        try await gate.enter()
        defer { gate.leave() }
        let answer = try await command([
            "SET", key("b:\(id):\(block)"), CacheArgument(bytes), "PX",
            CacheArgument(Self.unfinished.wholeMilliseconds), "NX",
        ])
        if case .null = answer { return false }
        return true
    }

    func hold(_ id: String, blocks: Int) async throws {
        _ = try await run(
            CacheScripts.hold,
            [CacheArgument(id), CacheArgument(blocks), CacheArgument(Self.unfinished.wholeMilliseconds)]
        )
    }

    func abandon(_ id: String, blocks: Int) async throws {
        _ = try await run(CacheScripts.abandon, [CacheArgument(id), CacheArgument(blocks)], isToEnd: true)
    }

    /// Removes an unfinished entry without waiting.
    func abandonLater(_ id: String, blocks: Int) {
        client.post(CacheScripts.abandon, keys: [options.prefix], arguments: [id, "\(blocks)"])
    }

    func commit(_ id: String, _ head: StoredHead, blocks: Int, last: [UInt8]?, _ bounds: CacheBounds) async throws
        -> (isStored: Bool, evicted: [CacheKey])
    {
        try await removeMissed()
        try await synchronize()
        noteRemoval()
        defer { noteRemoval() }
        try await gate.enter()
        defer { gate.leave() }
        let encoded = head.encoded
        let (key, metadata) = (head.key, head.response.metadata)
        let reading = clock.reading
        let sentAt = clock.now
        var arguments = position
        arguments += [
            CacheArgument(id), CacheArgument(bounds.totalBytes.bytes), CacheArgument(bounds.entryCount),
            CacheArgument(bounds.variantsPerKey), lifetime(of: head.response),
            CacheArgument(Int64(encoded.count) + head.response.bodyLength), CacheArgument(blocks),
            CacheArgument(last ?? []), last == nil ? "0" : "1", CacheArgument(key.encoded),
            CacheArgument(metadata.variant.encoded), CacheArgument(key.url),
        ]
        arguments += [
            CacheArgument(key.identifier ?? ""), key.identifier == nil ? "0" : "1",
            CacheArgument(metadata.classification.indexName), CacheArgument(key.origin?.description ?? ""),
            CacheArgument(key.partition), CacheArgument(SealedBytes.seal(encoded, name: id)),
            CacheArgument(reading?.offset), CacheArgument(reading?.uncertainty), CacheArgument(options.blockBytes),
        ]
        let answer = try await run(CacheScripts.commit, arguments, isToEnd: true)
        guard case .list(let parts) = answer, parts.count >= 2, let outcome = parts[1].string else { throw malformed }
        try take(parts[0], sentAt: sentAt)
        var evicted: [CacheKey] = []
        if parts.count > 2, case .list(let keys) = parts[2] {
            evicted = keys.compactMap { $0.data.flatMap { CacheKey(decoding: $0) } }
        }
        return (outcome == "stored", evicted)
    }

    private func lifetime(of response: StoredResponse) -> CacheArgument {
        let retention = CacheRules.retention(of: response, stale: options.staleRetention)
        return CacheArgument(max(min(retention, options.longestRetention), .seconds(1)).wholeMilliseconds)
    }

    func update(_ id: String, _ head: StoredHead, _ bounds: CacheBounds) async throws -> Bool {
        try await removeMissed()
        try await synchronize()
        noteRemoval()
        defer { noteRemoval() }
        let encoded = head.encoded
        let metadata = head.response.metadata
        let reading = clock.reading
        var arguments = position
        arguments += [
            CacheArgument(id), CacheArgument(bounds.totalBytes.bytes), lifetime(of: head.response),
            CacheArgument(Int64(encoded.count) + head.response.bodyLength), CacheArgument(metadata.variant.encoded),
            CacheArgument(metadata.classification.indexName), CacheArgument(SealedBytes.seal(encoded, name: id)),
            CacheArgument(reading?.offset), CacheArgument(reading?.uncertainty),
        ]
        return try await run(CacheScripts.update, arguments, isToEnd: true).integer == 1
    }

    // MARK: - Removing

    /// Removes entries in one step; a failed removal is recorded, and repeated before any other request.
    func remove(_ selection: CacheSelection) async throws -> Int {
        noteRemoval()
        defer { noteRemoval() }
        let removed: (count: Int64, index: [UInt8])
        do {
            removed = try await removeNow(selection)
        } catch {
            miss(selection)
            throw error
        }
        return Int(clamping: try await removed.count + sweep(removed.index))
    }

    /// Records a failed removal.
    func miss(_ selection: CacheSelection) {
        state.withLock { state in
            state.lastMiss += 1
            if state.missed.count >= Self.missedLimit { state.missed = [state.lastMiss: .all] }
            if !state.missed.values.contains(selection) { state.missed[state.lastMiss] = selection }
        }
    }

    private func removeMissed() async throws {
        let (missed, index) = state.withLock { ($0.missed, $0.unswept.first) }
        for (number, selection) in missed.sorted(by: { $0.key < $1.key }) {
            let removed = try await removeNow(selection)
            state.withLock { state in
                state.missed[number] = nil
                if !removed.index.isEmpty { state.leave(removed.index) }
            }
        }
        // Removes only one slice, to keep the wait short, because nothing depends on it.
        if let index, (try? await sweepOnce(index).isLeft) == false {
            state.withLock { state in state.unswept.removeAll { $0 == index } }
        }
    }

    /// - Returns: The number of entries removed, and the index of those that must still be removed; empty if there is
    ///   none.
    private func removeNow(_ selection: CacheSelection) async throws -> (count: Int64, index: [UInt8]) {
        let sentAt = clock.now
        let (kind, value) = selection.removal
        let arguments =
            position + [
                CacheArgument(kind), CacheArgument(value), CacheArgument(selection.note), CacheArgument(Self.slice),
            ]
        let answer = try await run(CacheScripts.remove, arguments, isToEnd: true)
        guard case .list(let parts) = answer, parts.count == 3, let count = parts[1].count, let index = parts[2].data
        else { throw malformed }
        try take(parts[0], sentAt: sentAt)
        return (count, index)
    }

    /// Removes the entries of a renamed index.
    ///
    /// These entries can't be found anymore. Their memory is freed in slices, so that the server can serve other
    /// clients in between.
    ///
    /// If a sweep fails or is cancelled, later commands remove the rest.
    ///
    /// - Returns: The number of entries.
    private func sweep(_ index: [UInt8]) async throws -> Int64 {
        guard !index.isEmpty else { return 0 }
        var count: Int64 = 0
        do {
            for _ in 0..<Self.sliceLimit {
                let (more, isLeft) = try await sweepOnce(index)
                count += more
                if !isLeft { return count }
            }
        } catch {
            state.withLock { $0.leave(index) }
            throw error
        }
        throw malformed
    }

    private func sweepOnce(_ index: [UInt8]) async throws -> (count: Int64, isLeft: Bool) {
        let answer = try await run(CacheScripts.sweep, [CacheArgument(index), CacheArgument(Self.slice)])
        guard case .list(let parts) = answer, parts.count == 2, let count = parts[0].count, count <= Self.slice,
            let isLeft = parts[1].count
        else { throw malformed }
        return (count, isLeft == 1)
    }

    func usage() async throws -> CacheUsage {
        try await removeMissed()
        let answer = try await run(CacheScripts.usage, [])
        guard case .list(let parts) = answer, parts.count == 2, let entries = parts[0].count,
            let bytes = parts[1].count
        else { throw malformed }
        return CacheUsage(bytes: bytes, entries: Int(clamping: entries))
    }
}

/// An argument of a command, which may have any bytes.
struct CacheArgument: ExpressibleByStringLiteral {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { self.init(Array(text.utf8)) }

    init(stringLiteral text: String) { self.init(text) }

    init(_ number: some BinaryInteger) { self.init("\(number)") }

    init(_ number: Double?) { self.init(number.map { "\($0)" } ?? "") }
}

extension CacheSelection {
    /// The index set of the selection, if there is one.
    fileprivate var set: (kind: String, value: [UInt8])? {
        switch self {
        case .url(let url): ("u", Array(url.utf8))
        case .identifier(let identifier): ("i", Array(identifier.utf8))
        case .classification(let name): ("c", Array(name.indexName.utf8))
        case .origin(let origin): ("o", Array(origin.description.utf8))
        case .partition(let partition): ("p", Array(partition.utf8))
        case .all, .key, .identifierPrefix, .entry: nil
        }
    }

    fileprivate var removal: (kind: String, value: [UInt8]) {
        if let set { return set }
        switch self {
        case .key(let key): return ("key", key.encoded)
        case .identifierPrefix(let prefix): return ("prefix", Array(prefix.utf8))
        case .entry(let id): return ("entry", Array("\(id.rawValue)".utf8))
        default: return ("all", [])
        }
    }

    /// The note for other machines in the server's log.
    fileprivate var note: String {
        if case .entry = self { return "" }
        guard let url = commonURL, url.utf8.count <= 4096 else { return "*" }
        return "u" + url
    }
}

extension String? {
    fileprivate var indexName: String { map { "+" + $0 } ?? "-" }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

extension RESPValue {
    /// A number, which may also be in the form of text.
    fileprivate var integer: Int64? {
        if case .number(let number) = self { return number }
        return string.flatMap { Int64($0) }
    }

    /// A nonnegative count, up to 2⁵³, because Lua's numbers are exact up to that.
    fileprivate var count: Int64? { integer.flatMap { (0...1 << 53).contains($0) ? $0 : nil } }

    fileprivate var double: Double? { string.flatMap { Double($0) } }
}
#endif
