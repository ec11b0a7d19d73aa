#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

/// Sun, 06 Nov 1994 08:49:37 GMT, where the virtual clock begins.
let start = Date(timeIntervalSince1970: 784_111_777)

let target = "https://example.com/a"

/// The date so many seconds from the start, as a field has it.
func date(_ seconds: Double) -> String { HTTPDate(start.addingTimeInterval(seconds)).description }

/// Fields from lines such as "Cache-Control: max-age=60".
func fields(_ lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
        fields.append(HTTPField(name: HTTPField.Name(String(parts[0])) ?? .via, value: value))
    }
    return fields
}

/// A server that answers requests for ranges of one size, each with what belongs where the range begins.
func rangeServer(_ size: Int, of length: Int, content: @escaping @Sendable (Int) -> Data) -> InMemoryTransport {
    InMemoryTransport { request in
        let range = request.headers[.range].flatMap { $0.dropFirst("bytes=".count).split(separator: "-").first }
        let start = range.flatMap { Int($0) } ?? 0
        return Response(
            .partialContent,
            headers: fields([
                "Cache-Control: max-age=600", "ETag: \"a\"",
                "Content-Range: bytes \(start)-\(start + size - 1)/\(length)", "Content-Length: \(size)",
            ]),
            body: .chunks([content(start)])
        )
    }
}

/// One exchange in the past and one question about it.
struct Situation {
    var mode = CacheRules.Mode.private
    var method = HTTPRequest.Method.get
    var status = 200
    var response: [String] = []
    var firstRequest: [String] = []
    var settings = CacheSettings()
    var delay = 0.0
    var length: Int64 = 10
    var askMethod = HTTPRequest.Method.get
    var ask: [String] = []
    var askSettings = CacheSettings()
    var after = 0.0

    /// The rules beside their mode.
    var base = CacheRules()

    var rules: CacheRules {
        var rules = base
        rules.mode = mode
        return rules
    }

    func head(_ method: HTTPRequest.Method, _ lines: [String]) -> HTTPRequest {
        Request(method, target, headers: fields(lines)).head
    }

    func question(
        _ method: HTTPRequest.Method,
        _ lines: [String],
        _ settings: CacheSettings,
        at seconds: Double
    ) -> CacheQuestion {
        let isPlain = method == .get || method == .head
        return CacheQuestion(
            head(method, lines),
            key: isPlain ? CacheKey(url: target, identifier: settings.identifier) : nil,
            settings: settings,
            time: start.addingTimeInterval(seconds)
        )
    }

    /// What is stored of the first exchange; its request is sent `delay` before the start.
    var storage: CacheStorage {
        rules.storage(
            of: ReceivedResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields(response)),
                sentAt: start.addingTimeInterval(-delay),
                receivedAt: start
            ),
            answering: question(method, firstRequest, settings, at: -delay)
        )
    }

    var entry: CacheEntry? {
        guard case .store(let metadata) = storage else { return nil }
        return CacheEntry(
            id: CacheEntryID(rawValue: 1),
            key: CacheKey(url: target),
            response: StoredResponse(metadata, bodyLength: length, bodyChecksum: ContentChecksum())
        )
    }

    var decision: CacheDecision {
        rules.decide(
            question(askMethod, ask, askSettings, at: after),
            among: entry.map { [$0] } ?? []
        )
    }

    /// The decision in a word or two.
    var outcome: String { entry == nil ? "not stored" : decision.word }
}

extension CacheDecision {
    var word: String {
        switch self {
        case .serve(let answer): "serve" + answer.form.word
        case .serveAndRevalidate(let answer, _): "serve and validate" + answer.form.word
        case .validate(let validation): validation.isConditional ? "validate" : "ask"
        case .complete(let completion): "complete from \(completion.offset)"
        case .forward: "forward"
        case .unavailable: "504"
        }
    }
}

extension CacheAnswer.Form {
    fileprivate var word: String {
        switch self {
        case .whole: ""
        case .notModified: " 304"
        case .part(let range, let length):
            " \(range.lowerBound)-\(range.upperBound - 1)/\(length.map { "\($0)" } ?? "*")"
        case .unsatisfiable: " 416"
        }
    }
}

/// A row of a table: a situation and what comes of it.
struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let expected: String
    let situation: Situation

    /// - Parameters:
    ///   - name: The section of the standard, and the case.
    ///   - expected: The outcome.
    ///   - response: The fields of the response. A line without a colon is a value of Cache-Control, here and in requests.
    ///   - firstRequest: The fields of the request whose response it is.
    ///   - ask: The fields of the request that is answered.
    ///   - change: Sets the rest of the situation.
    init(
        _ name: String,
        _ expected: String,
        _ response: [String] = [],
        firstRequest: [String] = [],
        ask: [String] = [],
        status: Int = 200,
        mode: CacheRules.Mode = .private,
        method: HTTPRequest.Method = .get,
        askMethod: HTTPRequest.Method = .get,
        delay: Double = 0,
        after: Double = 0,
        _ change: (inout Situation) -> Void = { _ in }
    ) {
        func lines(_ shortened: [String]) -> [String] {
            shortened.map { $0.contains(":") ? $0 : "Cache-Control: \($0)" }
        }
        self.name = name
        self.expected = expected
        var situation = Situation()
        situation.response = lines(response)
        situation.firstRequest = lines(firstRequest)
        situation.ask = lines(ask)
        situation.status = status
        situation.mode = mode
        situation.method = method
        situation.askMethod = askMethod
        situation.delay = delay
        situation.after = after
        change(&situation)
        self.situation = situation
    }

    var testDescription: String { name }
}
#endif
