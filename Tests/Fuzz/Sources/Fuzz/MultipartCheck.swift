import Foundation
import HTTPChainCore
import HTTPChainMultipart

/// The first line: a Content-Disposition, and a boundary where it has one; all of it: a message with the boundary `X`.
///
/// The events are the same however the bytes are divided, well-formed, and within the limits.
func checkMultipart(_ input: Input) -> Int32 {
    let value = input.lines[0]
    if let disposition = ContentDisposition(value) {
        require(!disposition.type.isEmpty && disposition.type == disposition.type.lowercased(), "the type of \(value)")
    }
    guard let parser = try? MultipartParser(boundary: "X", limits: limits) else { fatalError("X is a boundary") }
    check(parser, input)
    if let parser = try? MultipartParser(contentType: value, limits: limits) { check(parser, input) }
    return 0
}

private let limits = MultipartLimits(headerSize: 256, headerCount: 4, partCount: 5, partSize: 512)

private func check(_ parser: MultipartParser, _ input: Input) {
    let whole = Outcome(parser, [input.bytes])
    let divided = Outcome(parser, input.pieces)
    require(whole == divided, "divided, \(whole) became \(divided)")
}

/// What a message says, with the pieces of a content put together.
private struct Outcome: Equatable {
    var heads: [MultipartHead] = []
    var contents: [Data] = []
    var isInside = false
    var error: MultipartError?

    init(_ parser: MultipartParser, _ pieces: [Data]) {
        var parser = parser
        for piece in pieces { take(parser.append(piece)) }
        take(parser.finish())
        require(error != nil || !isInside, "a message ends inside a part")
        require(contents.count <= 5, "\(contents.count) parts")
        require(contents.allSatisfy { $0.count <= 512 }, "a part beyond its limit")
    }

    private mutating func take(_ events: [MultipartParser.Event]) {
        for event in events {
            require(error == nil, "\(event) after a failure")
            switch event {
            case .partBegan(let head):
                require(!isInside, "a part inside a part")
                isInside = true
                require(head.headers.count <= 4, "\(head.headers.count) fields")
                _ = (head.name, head.fileName)
                heads.append(head)
                contents.append(Data())
            case .content(let bytes):
                require(isInside && !bytes.isEmpty, "content outside a part, or empty")
                contents[contents.count - 1] += bytes
            case .partEnded:
                require(isInside, "an end outside a part")
                isInside = false
            case .failed(let failure):
                error = failure
            }
        }
    }
}
