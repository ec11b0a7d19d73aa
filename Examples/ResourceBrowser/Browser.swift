import Foundation
import HTTPChain
import HTTPChainClient

/// The notes of a service.
func notes(at base: String) throws -> ResourceCollection<Note> {
    let chain = try Chain(transport: URLSessionTransport()) {
        ErrorHandlerMiddleware(.problemDetails)
        TimeoutMiddleware(.seconds(30))
        SerializerMiddleware(.json)
        StatusValidationMiddleware()
        URLBuilderMiddleware(base: base)
        CacheMiddleware(store: .memory(limit: .megabytes(5)), partition: .shared)
        RetryMiddleware()
    }
    return try Client(over: chain).resources(of: Note.self)
}

/// Runs one command.
func run(_ arguments: [String], at base: String) async throws {
    let notes = try notes(at: base)
    switch (arguments.first, arguments.dropFirst().first.flatMap(Int.init)) {
    case ("list", _):
        for note in try await notes.list() { print("\(note.id)  \(note.title)") }
    case ("show", let id?): show(try await notes.fetch(id))
    case ("set", let id?):
        var note = try await notes.fetch(id)
        try change(&note, arguments.dropFirst(2))
        try await notes.save(&note)
        show(note)
    case ("delete", let id?):
        try await notes.delete(notes.fetch(id))
        print("\(id) is deleted")
    default: print("list | show ID | set ID name=value... | delete ID")
    }
}

/// Changes properties by their names, including properties that the type doesn't declare.
func change(_ note: inout ResourceRecord<Note>, _ changes: some Sequence<String>) throws {
    for change in changes {
        let halves = change.split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { continue }
        if halves[0] == "title" { note.title = halves[1] } else { note[halves[0]] = .string(halves[1]) }
    }
}

/// Prints a note with all its properties.
func show(_ note: ResourceRecord<Note>) {
    print("\(note.id): \(note.title), version \(note.entityTag ?? "unknown")")
    if let color = note["color"]?.string { print("  color: \(color)") }
}
