import Foundation
import HTTPChainCore
import HTTPChainEventStream

/// A stream of events.
///
/// However it is cut, the events are the same, whole and in parts; none is larger than the limit.
func checkEvents(_ input: Input) -> Int32 {
    let cut = events(input.pieces)
    let bytes = events(input.bytes.map { Data([$0]) })
    require(
        cut.problem == bytes.problem,
        "cut: \(String(describing: cut.problem)), byte by byte: \(String(describing: bytes.problem))"
    )
    require(cut.problem != nil || cut.events == bytes.events, "the events differ")
    for event in bytes.events {
        require(event.bytes.count <= 512, "an event of \(event.bytes.count) bytes")
        require(!event.type.isEmpty && event.id?.isEmpty != true, "an empty type or id")
        require(!event.type.utf8.contains { $0 == 0x0A || $0 == 0x0D }, "a type of two lines")
        require(!(event.id ?? "").utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "the id")
    }
    guard bytes.problem == nil else { return 0 }
    require(parts(input.pieces).events == bytes.events, "the parts are other events")
    return 0
}

private let limits = EventStreamLimits(line: 256, event: 512, name: 64)

private struct Event: Equatable {
    var type: String
    var bytes: Data
    var id: String?
}

private struct Outcome {
    var events: [Event] = []
    var problem: EventStreamError.Problem?
}

private func events(_ chunks: [Data]) -> Outcome {
    read(chunks) { body, events in
        for try await event in body.serverSentEvents(limits: limits) {
            events.append(Event(type: event.type, bytes: event.bytes, id: event.lastEventID))
        }
    }
}

private func parts(_ chunks: [Data]) -> Outcome {
    read(chunks) { body, events in
        var data = Data()
        for try await part in body.eventParts(limits: limits) {
            switch part {
            case .data(let piece): data.append(piece)
            case .end(let type, let id):
                events.append(Event(type: type, bytes: data, id: id))
                data = Data()
            case .comment, .retry: break
            }
        }
    }
}

private func read(
    _ chunks: [Data],
    _ reading: @escaping @Sendable (HTTPBody, _ events: inout [Event]) async throws -> Void
) -> Outcome {
    finish {
        var outcome = Outcome()
        do {
            try await reading(.pieces(chunks), &outcome.events)
        } catch {
            outcome.problem = (error as? EventStreamError)?.problem
            require(outcome.problem != nil, "an error of another kind: \(error)")
        }
        return outcome
    }
}
