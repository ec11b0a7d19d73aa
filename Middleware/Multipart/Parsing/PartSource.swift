import Foundation
import HTTPChainCore

/// The source of a message's parts.
///
/// The sequence of parts and the reader of the current part take turns reading it.
final class PartSource: Sendable {
    /// The source and its position.
    struct Session {
        var reader: any BodyReader
        var parser: MultipartParser
        var events: ArraySlice<MultipartParser.Event> = []
        var isFinished = false
        /// The number of the current part, from 0.
        var part = -1

        nonisolated(nonsending) mutating func nextEvent() async throws -> MultipartParser.Event? {
            while true {
                if let event = events.popFirst() {
                    if case .failed(let error) = event { throw error }
                    return event
                }
                if isFinished { return nil }
                if let chunk = try await reader.read() {
                    events = parser.append(chunk)[...]
                } else {
                    isFinished = true
                    events = parser.finish()[...]
                }
            }
        }
    }

    private enum State: Sendable {
        case unopened(HTTPBody, MultipartParser)
        /// The session, boxed, so that it can be moved in and out of a lock.
        case open(Locked<Session?>)
        case inUse
        case finished
        case failed(any Error)
    }

    private let state: Locked<State>

    init(_ body: HTTPBody, parser: MultipartParser) {
        state = Locked(.unopened(body, parser))
    }

    func nextPart() async throws -> ReceivedPart? {
        guard var session = try await take() else { return nil }
        do {
            while let event = try await session.nextEvent() {
                guard case .partBegan(let head) = event else { continue }
                session.part += 1
                let part = session.part
                put(.open(Locked(session)))
                return ReceivedPart(head: head, body: .once { [self] in PartReader(source: self, part: part) })
            }
        } catch {
            put(.failed(error))
            throw error
        }
        put(.finished)
        return nil
    }

    /// Returns the next piece of a part's content, or `nil` at its end.
    func content(of part: Int) async throws -> Data? {
        guard var session = try await take() else { throw MultipartError(.partPassed(part: part)) }
        guard session.part == part else {
            put(.open(Locked(session)))
            throw MultipartError(.partPassed(part: part))
        }
        do {
            let event = try await session.nextEvent()
            put(.open(Locked(session)))
            if case .content(let data) = event { return data }
            return nil
        } catch {
            put(.failed(error))
            throw error
        }
    }

    /// Takes the session for one reader at a time.
    ///
    /// Returns `nil` after the last part.
    private func take() async throws -> sending Session? {
        let taken = state.withLock { state in
            let taken = state
            switch state {
            case .unopened, .open: state = .inUse
            case .inUse, .finished, .failed: break
            }
            return taken
        }
        switch taken {
        case .unopened(let body, let parser):
            do {
                return Session(reader: try await body.makeReader(), parser: parser)
            } catch {
                put(.failed(error))
                throw error
            }
        case .open(let box):
            return box.withLock { session -> sending Session? in
                let taken = session
                session = nil
                return taken
            }
        case .inUse: throw MultipartError(.readConcurrently)
        case .finished: return nil
        case .failed(let error): throw error
        }
    }

    private func put(_ new: State) {
        state.withLock { $0 = new }
    }
}

/// Reads the content of a part.
private struct PartReader: BodyReader {
    let source: PartSource
    let part: Int
    var isFinished = false

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !isFinished else { return nil }
        guard let content = try await source.content(of: part) else {
            isFinished = true
            return nil
        }
        return content
    }
}
