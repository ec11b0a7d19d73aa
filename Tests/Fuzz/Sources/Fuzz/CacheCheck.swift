import Foundation
import HTTPChainCore
import HTTPTypes

@testable import HTTPChainCache

/// The fields that caches read, and dates.
///
/// The first line holds a few words that choose the situation; each line after it is a field, of the request when it
/// begins with ">" and of the response otherwise. The second line also stands for a date.
func checkCache(_ input: Input) -> Int32 {
    let lines = input.lines
    for line in lines { checkDate(line) }
    var asked = HTTPFields()
    var answered = HTTPFields()
    for line in lines.dropFirst().prefix(64) {
        let isRequest = line.utf8.first == UInt8(ascii: ">")
        let parts = (isRequest ? line.dropFirst() : line[...]).split(
            separator: ":",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
        let field = HTTPField(name: name, value: String(parts[1]))
        if isRequest { asked.append(field) } else { answered.append(field) }
    }
    let words = lines[0]
    for mode in [CacheRules.Mode.private, .shared] {
        checkRules(CacheRules(mode: mode), words, asked, answered)
    }
    return 0
}

private let now = Date(timeIntervalSince1970: 784_111_777)

/// A date that is read is the same when it is written and read again.
private func checkDate(_ text: String) {
    guard let date = HTTPDate(text, now: now) else { return }
    require(HTTPDate(date.description, now: now) == date, "\(text.debugDescription) is \(date)")
}

private func checkRules(_ rules: CacheRules, _ words: String, _ asked: HTTPFields, _ answered: HTTPFields) {
    let method: HTTPRequest.Method = words.contains("head") ? .head : .get
    let status = words.contains("partial") ? 206 : words.contains("odd") ? 599 : 200
    let key = CacheKey(url: "https://h.example/a")
    let question = CacheQuestion(
        Request(.get, "https://h.example/a", headers: asked).head,
        key: key,
        time: now.addingTimeInterval(words.contains("later") ? 100 : 0)
    )
    let response = HTTPResponse(status: .init(code: status), headerFields: answered)
    guard
        case .store(let metadata) = rules.storage(
            of: ReceivedResponse(response, sentAt: now, receivedAt: now),
            answering: question
        )
    else { return }
    require(!answered.contains { $0.name == .vary && $0.value.trimmingCharacters(in: .whitespaces) == "*" }, "Vary: *")
    require(metadata.variant.matches(asked), "a response does not match the request that it answers")
    var length: Int64 = 10
    if case .part(let range, let whole) = metadata.content {
        require(!range.isEmpty && range.lowerBound >= 0, "\(range)")
        require(whole.map { range.upperBound <= $0 } ?? true, "\(range) of \(whole ?? 0)")
        length = range.upperBound - range.lowerBound
    }
    let stored = StoredResponse(metadata, bodyLength: length, bodyChecksum: ContentChecksum())
    let entry = CacheEntry(id: CacheEntryID(rawValue: 1), key: key, response: stored)
    let freshness = rules.freshness(of: stored, at: question.time)
    require(freshness.age >= 0 && freshness.lifetime >= 0, "\(freshness)")
    var request = question
    request.request.method = method
    let decision = rules.decide(request, among: [entry])
    require(!decision.explanation.isEmpty, "a decision without an explanation")
    switch decision {
    case .serve(let answer):
        if case .part(let range, let whole) = answer.form {
            require(!range.isEmpty && range.lowerBound >= 0, "\(range)")
            require(whole.map { range.upperBound <= $0 } ?? true, "\(range) of \(whole ?? 0)")
            if case .part(let held, _) = metadata.content {
                require(
                    held.lowerBound <= range.lowerBound && range.upperBound <= held.upperBound,
                    "\(range) of \(held)"
                )
            }
        }
        require(freshness.isFresh || asked.contains(.cacheControl), "served stale")
    case .validate(let validation):
        let answer = HTTPResponse(status: .notModified, headerFields: answered)
        let received = ReceivedResponse(answer, sentAt: now, receivedAt: now)
        _ = rules.conclude(validation, with: received, to: request)
    default: break
    }
}
