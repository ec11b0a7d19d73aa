import FlyingFox
import Foundation

/// What a request brought.
struct ReceivedBatch: Sendable {
    var records: [ReceivedRecord] = []
    /// How many records cannot be read.
    var rejected = 0
    /// What is wrong with the first of them, and where it stands.
    var problem: String?

    /// Takes the next record, or counts it with what is wrong with it.
    ///
    /// - Throws: ``Refusal`` when there are more than are ever kept.
    mutating func add(at place: @autoclosure () -> String, _ read: () throws(Refusal) -> ReceivedRecord) throws(Refusal)
    {
        guard records.count + rejected < RecordStore.capacity else {
            throw Refusal(
                status: .payloadTooLarge,
                reason: "There are more than \(RecordStore.capacity) records: send smaller batches."
            )
        }
        do {
            records.append(try read())
        } catch {
            rejected += 1
            if problem == nil { problem = "\(place()): \(error.reason)" }
        }
    }
}

/// Reads what requests bring, one at a time: so what hostile JSON makes of memory does not add up.
actor BatchReader {
    func read(_ content: Data, as format: @Sendable (Data) throws -> ReceivedBatch) throws -> ReceivedBatch {
        try format(content)
    }
}
