import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPTypes

/// The first line: a Content-Type, where it has a boundary; all of it: a message with the boundary `X`.
///
/// The parts are the same however the bytes are divided, and within the limits.
func checkMultipart(_ input: Input) -> Int32 {
    check("multipart/mixed; boundary=X", input)
    let type = input.lines[0]
    if (try? message(of: [], type).parts(limits: limits)) != nil { check(type, input) }
    return 0
}

private let limits = MultipartLimits(headerSize: 256, headerCount: 4, partCount: 5, partSize: 512)

private func check(_ type: String, _ input: Input) {
    let whole = read(message(of: [input.bytes], type))
    let divided = read(message(of: input.pieces, type))
    require(whole == divided, "divided, \(whole) became \(divided)")
}

private func message(of pieces: [Data], _ type: String) -> Response {
    Response(
        .ok,
        headers: [.contentType: type],
        body: .pieces(pieces)
    )
}

/// What a message says, with the pieces of a content put together.
private struct Outcome: Equatable {
    var heads: [HTTPFields] = []
    var contents: [Data] = []
    var problem: MultipartError.Problem?
}

private func read(_ message: Response) -> Outcome {
    finish {
        var outcome = Outcome()
        do {
            for try await part in try message.parts(limits: limits) {
                require(part.headers.count <= 4, "\(part.headers.count) fields")
                _ = (part.name, part.fileName, part.contentRange)
                outcome.heads.append(part.headers)
                outcome.contents.append(Data())
                for try await chunk in part.body { outcome.contents[outcome.contents.count - 1] += chunk }
            }
        } catch {
            outcome.problem = (error as? MultipartError)?.problem
            require(outcome.problem != nil, "an error of another kind: \(error)")
        }
        require(outcome.contents.count <= 5, "\(outcome.contents.count) parts")
        require(outcome.contents.allSatisfy { $0.count <= 512 }, "a part beyond its limit")
        return outcome
    }
}
