#if Macros
import Foundation
import HTTPChainMacros

/// Calls all methods of a greenhouse, which is the service or a mock of it.
func tour(of greenhouse: some GreenhouseService, say: (String) -> Void) async throws {
    say("A bed by its id: \(try await greenhouse.bed(id: 1).crop)")
    let added = try await greenhouse.add(Bed(id: 0, crop: "Basil"), key: UUID())
    say("Added: \(added.crop), with the id \(added.id)")
    var crops: [String] = []
    for try await bed in try await greenhouse.beds(crop: nil).items() { crops.append(bed.crop) }
    say("All pages: \(crops.joined(separator: ", "))")
    try await greenhouse.upload(photo: Data(repeating: 7, count: 4_096), caption: "Spring", progress: nil)
    try await greenhouse.remove(id: 99)
    say("Removed, though it was not there")
    do {
        _ = try await greenhouse.bed(id: 99)
    } catch {
        say("No such bed: \(error)")
    }
}

/// Follows the results that arrive over time.
func watch(_ greenhouse: some GreenhouseService, say: (String) -> Void) async throws {
    for try await entry in try await greenhouse.log() { say("Log: \(entry.what)") }
    for try await reading in try await greenhouse.readings() { say("Now: \(reading.celsius) °C") }
}
#endif
