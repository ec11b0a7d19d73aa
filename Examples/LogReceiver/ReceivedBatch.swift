import FlyingFox
import Foundation

/// The records of a request.
struct ReceivedBatch: Sendable {
    var records: [ReceivedRecord] = []
    /// The number of records that couldn't be read.
    var rejected = 0
    /// The position of the first record that couldn't be read, and the problem.
    var problem: String?

    /// Adds the next record, or counts it as rejected.
    ///
    /// - Throws: ``Refusal`` if there are more records than the store's capacity.
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

/// Reads the content of requests one at a time, so that the memory used by hostile JSON doesn't add up.
actor BatchReader {
    func read(_ content: Data, as format: @Sendable (Data) throws -> ReceivedBatch) throws -> ReceivedBatch {
        try format(content)
    }
}
