import Foundation
import HTTPTypes

@testable import HTTPChainCore
@testable import HTTPChainResumableUpload

/// Responses to the requests of an upload, an empty line between two: a status, fields, and after a `{` a problem document.
///
/// Whatever a server answers, what is sent next lies inside the content, goes on where the server stands, and goes to an
/// origin that is allowed.
func checkUploads(_ input: Input) -> Int32 {
    let responses = input.text.components(separatedBy: "\n\n").prefix(32)
    check(responses, Tus(metadata: UploadMetadata()), partSize: 300, createsWithContent: true)
    check(responses, Tus(metadata: UploadMetadata()), partSize: nil, createsWithContent: false)
    check(responses, Draft(), partSize: 300, createsWithContent: false)
    return 0
}

private let length: Int64 = 1000
private let target = "https://a.example/files"

private func check(
    _ responses: some Sequence<String>,
    _ wire: some UploadWire,
    partSize: Int64?,
    createsWithContent: Bool
) {
    let plan = UploadPlan(
        length: length,
        partSize: partSize,
        createsWithContent: createsWithContent,
        asksForLimits: createsWithContent,
        completesByOffset: wire.completesByOffset,
        lostStatuses: wire.lostStatuses
    )
    var rules = UploadRules(plan)
    for text in responses {
        checkAction(rules)
        let (head, document) = response(text)
        var answer = wire.answer(head, now: Date(timeIntervalSince1970: 784_111_777))
        answer.location = UploadLocation(of: head, from: rules.position?.url ?? target) { $0.host == "a.example" }
        if wire is Draft { answer.problem = Draft.problem(in: document) }
        switch rules.take(answer) {
        case .proceed, .tryAgain: continue
        case .finish, .fail, .abandon: return
        }
    }
}

private func checkAction(_ rules: UploadRules) {
    if let position = rules.position {
        require(Origin(position.url)?.host == "a.example", "an upload at \(position.url)")
        require((0...length).contains(position.offset), "an offset of \(position.offset)")
    }
    switch rules.action {
    case .create(let content):
        require(rules.position == nil, "an upload is created twice")
        require(content.lowerBound == 0 && content.upperBound <= length, "a creation with \(content)")
    case .append(let content, let completes):
        require(content.lowerBound == rules.position?.offset, "\(content) after \(rules.position?.offset ?? -1)")
        require(content.upperBound <= length && completes == (content.upperBound == length), "an append of \(content)")
        require(!content.isEmpty || completes, "an append of nothing")
    case .findOffset: require(rules.position != nil, "the offset of no upload")
    case .discover: require(rules.position == nil, "limits are asked for in the middle")
    case .terminate: require(false, "an upload is terminated")
    }
}

/// A response as the input writes it: a line with the status, then fields, then a document.
private func response(_ text: String) -> (HTTPResponse, Data) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
    let code = lines.popFirst().flatMap { Int($0) } ?? 200
    var fields = HTTPFields()
    while let line = lines.first, !line.hasPrefix("{"), let colon = line.firstIndex(of: ":") {
        lines.removeFirst()
        guard let name = HTTPField.Name(String(line[..<colon])) else { continue }
        fields.append(HTTPField(name: name, value: String(line[line.index(after: colon)...])))
    }
    let status = HTTPResponse.Status(code: (100...999).contains(code) ? code : 200)
    return (HTTPResponse(status: status, headerFields: fields), Data(lines.joined(separator: "\n").utf8))
}
