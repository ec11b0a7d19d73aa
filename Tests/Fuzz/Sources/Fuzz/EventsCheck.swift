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
    read(chunks) { body, add in
        for try await event in body.serverSentEvents(limits: limits) {
            add(Event(type: event.type, bytes: event.bytes, id: event.lastEventID))
        }
    }
}

private func parts(_ chunks: [Data]) -> Outcome {
    read(chunks) { body, add in
        var data = Data()
        for try await part in body.eventParts(limits: limits) {
            switch part {
            case .data(let piece): data.append(piece)
            case .end(let type, let id):
                add(Event(type: type, bytes: data, id: id))
                data = Data()
            case .comment, .retry: break
            }
        }
    }
}

/// The fuzzer calls from a thread that is no task's, so it may wait for one.
private func read(
    _ chunks: [Data],
    _ reading: @escaping @Sendable (HTTPBody, _ add: @Sendable (Event) -> Void) async throws -> Void
) -> Outcome {
    let result = Locked(Outcome())
    let done = DispatchSemaphore(value: 0)
    let body = HTTPBody.replayable { PieceReader(rest: chunks.filter { !$0.isEmpty }[...]) }
    Task {
        do {
            try await reading(body) { event in result.withLock { $0.events.append(event) } }
        } catch {
            let problem = (error as? EventStreamError)?.problem
            require(problem != nil, "an error of another kind: \(error)")
            result.withLock { $0.problem = problem }
        }
        done.signal()
    }
    done.wait()
    return result.withLock { $0 }
}

private struct PieceReader: BodyReader {
    var rest: ArraySlice<Data>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        rest.popFirst()
    }
}
