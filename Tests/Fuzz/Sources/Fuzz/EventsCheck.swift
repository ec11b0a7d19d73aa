import Foundation
import HTTPChainCore
import HTTPChainEventStream

/// A stream of events.
///
/// However it is cut, the events are the same, whole and in parts; none is larger than the limit.
func checkEvents(_ input: Input) -> Int32 {
    let limits = EventStreamLimits(line: 256, event: 512, name: 64)
    func events(_ chunks: [Data]) -> ([ServerSentEvent], EventStreamError.Problem?) {
        var parser = EventParser(limits: limits)
        var events: [ServerSentEvent] = []
        for chunk in chunks {
            do {
                events += try parser.events(in: chunk)
            } catch {
                return (events, error.problem)
            }
        }
        return (events, nil)
    }
    let cut = events(input.pieces)
    let bytes = events(input.bytes.map { Data([$0]) })
    require(cut.1 == bytes.1, "cut: \(String(describing: cut.1)), byte by byte: \(String(describing: bytes.1))")
    require(cut.1 != nil || cut.0 == bytes.0, "the events differ")
    for event in bytes.0 {
        require(event.bytes.count <= 512, "an event of \(event.bytes.count) bytes")
        require(!event.type.isEmpty && event.lastEventID?.isEmpty != true, "an empty type or id")
        require(!event.type.utf8.contains { $0 == 0x0A || $0 == 0x0D }, "a type of two lines")
        require(!(event.lastEventID ?? "").utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "the id")
    }
    guard bytes.1 == nil else { return 0 }
    var parser = EventPartParser(limits: limits)
    var data = Data()
    var whole: [ServerSentEvent] = []
    for chunk in input.pieces {
        for part in (try? parser.parts(in: chunk)) ?? [] {
            switch part {
            case .data(let piece): data.append(piece)
            case .end(let type, let id):
                whole.append(ServerSentEvent(bytes: data, type: type, lastEventID: id))
                data = Data()
            case .comment, .retry: break
            }
        }
    }
    require(whole == bytes.0, "the parts are other events")
    return 0
}
