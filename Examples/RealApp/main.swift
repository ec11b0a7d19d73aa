// An app's client for a service, from sign-in to working without a connection.
//
//     swift run RealApp
//
// The service runs in this process.

import Foundation
import HTTPChain
import HTTPChainTesting

/// A photo that arrives in parts.
func photo(parts: Int) -> AsyncStream<Data> {
    AsyncStream { stream in
        for _ in 0..<parts { stream.yield(Data(repeating: 7, count: 100_000)) }
        stream.finish()
    }
}

func show(_ step: String, _ sightings: some AsyncSequence<Sighting, any Error>) async throws {
    var birds: [String] = []
    for try await sighting in sightings { birds.append(sighting.bird) }
    print("\(step): \(birds.joined(separator: ", "))")
}

do {
    let service = JournalServer()
    let server = try await service.start()
    let journal = try Journal(at: server.origin, for: Account(name: "ada", password: "lovelace"))

    try await show("Page by page", journal.sightings())
    let owl = try await journal.add("owl", seenAt: Date(timeIntervalSince1970: 1_790_001_800))
    print("Added: \(owl.bird), number \(owl.id)")
    try await journal.upload(photo(parts: 8), length: 800_000, of: owl) { progress in
        if progress.isFinished { print("  \(progress.direction): \(progress.completed) bytes") }
    }
    do {
        try await journal.upload(photo(parts: 12), length: 1_200_000, of: owl) { _ in }
    } catch JournalError.photoTooLarge(let limit) {
        print("Refused: a photo has at most \(limit) bytes")
    }
    await service.endSession()
    try await show("After the session has ended", journal.sightings())

    let stranger = try Journal(at: server.origin, for: Account(name: "eve", password: "guessed"))
    do {
        try await show("Not signed in", stranger.sightings())
    } catch JournalError.wrongPassword {
        print("Refused: wrong password")
    }
    await server.stop()
    try await show("Offline", journal.sightings())
} catch {
    print("\(error)")
    exit(1)
}
