import Foundation

@testable import HTTPChainCore
@testable import HTTPChainEventStream

/// JSON Lines, and JSON text sequences.
///
/// However the stream is cut, the texts are the same; none is longer than the limit; and lines are what a plain
/// division of the whole makes of them.
func checkLines(_ input: Input) -> Int32 {
    let limit = ByteCount(64)
    for format in [JSONTextParser.Format.lines, .sequence] {
        let cut = texts(input.pieces, format, limit)
        let bytes = texts(input.bytes.map { Data([$0]) }, format, limit)
        require(cut.problem == bytes.problem, "cut: \(String(describing: cut.problem))")
        require(cut.texts == bytes.texts, "cut: \(cut.texts), byte by byte: \(bytes.texts)")
        for text in cut.texts {
            require(text.count <= 65, "a text of \(text.count) bytes")
            require(text.contains { !isSpace($0) } && !(text.last.map(isSpace) ?? true), "a text of white space")
            require(!text.contains(format == .lines ? 0x0A : 0x1E), "a text with a separator")
        }
        guard format == .lines, cut.problem == nil else { continue }
        require(cut.texts == lines(input.bytes), "\(cut.texts) are not the lines")
    }
    return 0
}

private func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

private func lines(_ bytes: Data) -> [Data] {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { [UInt8]($0) }
    if let first = lines.first, first.starts(with: [0xEF, 0xBB, 0xBF]) { lines[0] = Array(first.dropFirst(3)) }
    return lines.compactMap { line in
        guard let end = line.lastIndex(where: { !isSpace($0) }) else { return nil }
        return Data(line[...end])
    }
}

private func texts(
    _ chunks: [Data],
    _ format: JSONTextParser.Format,
    _ limit: ByteCount
) -> (texts: [Data], problem: EventStreamError.Problem?) {
    var parser = JSONTextParser(format, limit: limit, lastEventID: nil)
    var items: [StreamItem] = []
    var problem: EventStreamError.Problem?
    do throws(EventStreamError) {
        for chunk in chunks { try parser.read(chunk, into: &items) }
        try parser.end(into: &items)
    } catch {
        problem = error.problem
    }
    let texts = items.compactMap { item in if case .event(let event) = item { event.bytes } else { nil } }
    require(texts.count == items.count, "something else than texts")
    return (texts, problem)
}
