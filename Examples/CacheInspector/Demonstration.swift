import Foundation
import HTTPChain
import HTTPChainInMemory

/// Creates a store, inspects it, damages one of its files, finds the damage, and flushes the store.
func demonstrate() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("httpchain-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await fill(directory)
    for arguments in [
        ["list"], ["show", "--identifier", "search/oak"], ["list", "--classification", "maps"], ["verify"],
    ] {
        try await perform(arguments, on: directory)
    }
    try damage(directory)
    print("\n(a bit of the map turns over on the disk)")
    for arguments in [["verify"], ["flush", "--identifier-prefix", "search/"], ["list"], ["flush", "--all"]] {
        try await perform(arguments, on: directory)
    }
}

private func perform(_ arguments: [String], on directory: URL) async throws {
    print("\n$ CacheInspector <store> \(arguments.joined(separator: " "))")
    let command = try Command([directory.path] + arguments)
    _ = try await Inspector(store: try openStore(command.store)).run(command)
}

/// Fills a store with responses of a plant server.
private func fill(_ directory: URL) async throws {
    let server = InMemoryTransport { request in
        switch request.head.path {
        case "/map.png": Response(.ok, headers: [.cacheControl: "max-age=86400"], body: HTTPBody(Data(count: 300_000)))
        case "/plants": Response(.ok, headers: [.cacheControl: "max-age=60", .vary: "Accept-Language"], body: "oak")
        case "/news": Response(.ok, headers: [.cacheControl: "max-age=0", .eTag: "\"1\""], body: "it has rained")
        default: Response(.ok, body: "quercus")
        }
    }
    let cache = CacheMiddleware(store: .files(in: directory, limit: .megabytes(50)), partition: .by { _ in "ada" })
    let chain = try Chain(transport: server) {
        URLBuilderMiddleware(base: "https://garden.example")
        cache
    }
    let requests: [Request] = [
        .get("map.png").caching(CacheSettings(classification: "maps")),
        .get("plants", headers: [.acceptLanguage: "en"]),
        .get("plants", headers: [.acceptLanguage: "de"]),
        .get("news"),
        .post("search", body: "oak").caching(identifier: "search/oak").caching(for: .exactly(.seconds(600))),
    ]
    for request in requests {
        let response = try await chain.send(request)
        _ = try await response.body.collect()
    }
    print("5 calls: \(cache.metrics.stored) responses stored, \(cache.metrics.storedBytes) bytes")
}

/// Flips one bit of the only body that is stored in a separate file.
private func damage(_ directory: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    guard let file = files.first(where: { $0.pathExtension == "body" }) else { return }
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file)
}
