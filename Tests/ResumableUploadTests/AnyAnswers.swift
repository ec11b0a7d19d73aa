#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport

/// A server that answers by chance, and looks at what it is sent.
final class AnyAnswers: Transport {
    let capabilities: TransportCapabilities = []
    private let random: SeededRandom
    private let content: Data
    private let state = Locked<(count: Int, problem: String?)>((0, nil))

    init(_ random: SeededRandom, _ content: Data) {
        self.random = random
        self.content = content
    }

    var count: Int { state.withLock { $0.count } }
    /// What was wrong with a request; nil when all of them were right.
    var problem: String? { state.withLock { $0.problem } }

    func send(_ request: consuming Request) async throws -> Response {
        let head = request.head
        let sent = try await request.body.collect()
        let start = head.headerFields[field("Upload-Offset")].flatMap(Int.init) ?? 0
        let isRight =
            start <= content.count && content[start...].starts(with: sent) && head.authority == "example.com"
        state.withLock { state in
            state.count += 1
            if !isRight { state.problem = "\(head.method) at \(start) with \(sent.count) bytes to \(head.path ?? "")" }
        }
        if random.index(below: 8) == 0 { throw TransportError(.connectionLost, sent: .maybe, stage: "AnyAnswers") }
        let codes = [200, 201, 204, 204, 204, 307, 302, 400, 403, 404, 409, 410, 413, 423, 460, 500, 503]
        var fields = HTTPFields()
        func maybe(_ name: StaticString, _ values: [String]) {
            guard random.index(below: 3) > 0 else { return }
            fields[field(name)] = values[random.index(below: values.count)]
        }
        let end = "\(start + sent.count)"
        maybe("Upload-Offset", [end, end, end, "0", "5", "40", "41", "-1", "99999999999999999999", "a"])
        maybe(
            "Location",
            ["/uploads/1", "/uploads/1", "2", "https://other.example/1", "mailto:a", "https://example.com"]
        )
        maybe("Upload-Complete", ["?0", "?0", "?1", "2"])
        maybe("Upload-Length", ["40", "40", "41"])
        maybe(
            "Upload-Limit",
            ["max-append-size=3", "min-append-size=50, max-append-size=0", "max-size=1000", "max-age=-1"]
        )
        maybe("Retry-After", ["0", "5", "Sun, 06 Nov 1994 08:49:38 GMT"])
        return Response(HTTPResponse.Status(code: codes[random.index(below: codes.count)]), headers: fields)
    }
}
#endif
