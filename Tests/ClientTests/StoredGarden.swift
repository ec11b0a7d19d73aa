#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import TestSupport

/// A plant whose reply is stored as it came.
struct RawPlant: StoredRequest, Hashable {
    typealias Output = Plant
    var id: Int
    var path: String { "plants/\(id)" }
    var storageIdentifier: String? { id > 0 ? "plant \(id)" : nil }
    var storageClassification: String? { id == 7 ? "user" : nil }
}

/// A plant that is stored as a value, with a codec of its own.
struct ValuePlant: StoredRequest, Hashable {
    typealias Output = Plant
    struct Refusal: Error {}
    var id: Int
    var path: String { "plants/\(id)" }
    var storageIdentifier: String? { "plant \(id)" }
    static var storage: ReplyStorage<Plant> {
        .value { plant in
            guard plant.name != "Secret" else { throw Refusal() }
            return Data("\(plant.id) \(plant.name)".utf8)
        } decode: { bytes in
            let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            guard words.count == 2, let id = Int(words[0]) else { throw Refusal() }
            return Plant(id: id, name: String(words[1]))
        }
    }
}

/// Text that is stored as JSON.
struct ValueText: StoredRequest {
    typealias Output = String
    var path: String { "latin" }
    var storageIdentifier: String? { "text" }
    static var storage: ReplyStorage<String> { .value }
}

/// Bytes that are stored as they came, which no serializer keeps.
struct RawText: StoredRequest {
    typealias Output = String
    var path: String { "latin" }
    var storageIdentifier: String? { "text" }
}

/// A stream, which cannot be stored.
struct RawStream: StoredRequest {
    typealias Output = HTTPBody
    var path: String { "plants/7" }
    var storageIdentifier: String? { "stream" }
}

/// Answers plants by their id, one after the other, when it is told to.
final class Nursery: Transport {
    let begun = Counter()
    private let answers = Watched<[Result<String, TransportError>]>([])

    var capabilities: TransportCapabilities { .closure }
    var name: String { "nursery" }

    func answer(_ name: String) { answers.update { $0.append(.success(name)) } }
    func fail() {
        answers.update { $0.append(.failure(TransportError(.connectionLost, sent: .maybe, stage: "nursery"))) }
    }

    func send(_ request: consuming Request) async throws -> Response {
        let head = request.head
        begun.add()
        let name = try await answers.wait { $0.isEmpty ? nil : $0.removeFirst() }.get()
        var response = Response(
            .ok,
            headers: [.contentType: "application/json", .setCookie: "visits=1"],
            body: HTTPBody(Data(#"{"id":7,"name":"\#(name)"}"#.utf8))
        )
        response.request = head
        return response
    }
}

/// A store that gives bodies when it is told to, or fails.
final class SlowStore: CacheStore {
    struct Failure: Error {}
    enum Mood: Sendable { case open, closed, failing }

    private let mood: Watched<Mood>
    private let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(4)))

    init(_ mood: Mood = .open) { self.mood = Watched(mood) }

    func become(_ mood: Mood) { self.mood.update { $0 = mood } }

    private func check() throws {
        if mood.value == .failing { throw Failure() }
    }

    var summary: String { "slow" }
    func variants(of key: CacheKey) async throws -> [CacheEntry] {
        try check()
        return await store.variants(of: key)
    }
    func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        let body = await store.body(of: entry, range: range)
        _ = try await mood.wait { $0 == .closed ? nil : $0 }
        return body
    }
    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        try check()
        return await store.makeWriter(for: key, metadata, expecting: length)
    }
    func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        await store.update(entry, to: metadata)
    }
    func remove(_ selection: CacheSelection) async throws -> Int { await store.remove(selection) }
    func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        try await store.visit(selection, visit)
    }
    func usage() async throws -> CacheUsage { await store.usage() }
}
#endif
