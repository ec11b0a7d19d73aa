#if AllTests
import HTTPChainURLBuilder
import TestSupport
import Testing

@Suite("Dot segments", .seeded)
struct DotSegmentsTests {
    /// A piece of a path, and what a server may see in it.
    private struct Piece {
        enum Kind { case slash, dot, semicolon, other }

        let text: String
        let kinds: [Kind]
    }

    private static let pieces = [
        Piece(text: "/", kinds: [.slash]), Piece(text: "\\", kinds: [.slash]), Piece(text: "%2F", kinds: [.slash]),
        Piece(text: "%2f", kinds: [.slash]), Piece(text: "%5C", kinds: [.slash]), Piece(text: "%5c", kinds: [.slash]),
        Piece(text: ".", kinds: [.dot]), Piece(text: "%2E", kinds: [.dot]), Piece(text: "%2e", kinds: [.dot]),
        Piece(text: "..", kinds: [.dot, .dot]), Piece(text: ";", kinds: [.semicolon]),
        Piece(text: "%3B", kinds: [.semicolon]), Piece(text: "a", kinds: [.other]), Piece(text: "%", kinds: [.other]),
        Piece(text: "%2", kinds: [.other]), Piece(text: "a/", kinds: [.other, .slash]),
    ]

    /// The dot segments of pieces, read one kind after the other.
    private func expected(_ pieces: [Piece]) -> (ranges: [Range<Int>], climbsOut: Bool) {
        var ranges: [Range<Int>] = []
        var (climbsOut, depth, start, position) = (false, 0, 0, 0)
        var segment: [Piece.Kind] = []
        func end() {
            switch segment.prefix(while: { $0 != .semicolon }) {
            case [.dot]: ranges.append(start..<position)
            case [.dot, .dot]:
                ranges.append(start..<position)
                depth -= 1
                climbsOut = climbsOut || depth < 0
            default: if !segment.isEmpty { depth += 1 }
            }
            segment = []
        }
        for piece in pieces {
            for kind in piece.kinds {
                if kind == .slash { end() } else { segment.append(kind) }
                position += piece.text.utf8.count / piece.kinds.count
                if kind == .slash { start = position }
            }
        }
        end()
        return (ranges, climbsOut)
    }

    @Test("Dot segments are found in every disguise, where pieces of paths stand side by side in any order")
    func anyOrder() {
        var random = Numbers(Seed.numbers(1))
        for _ in 0..<20_000 {
            let pieces = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                Self.pieces.randomElement(using: &random)
            }
            let path = Array(pieces.map(\.text).joined().utf8)
            let found = DotSegments(in: path[...])
            let (ranges, climbsOut) = expected(pieces)
            guard found.ranges != ranges || found.climbsOut != climbsOut else { continue }
            Issue.record("\(String(decoding: path, as: UTF8.self)): \(found), not \(ranges), \(climbsOut)")
            return
        }
    }
}
#endif
