import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import RawStructuredFieldValues

/// The messages of draft-ietf-httpbis-resumable-upload, drafts 09 to 12.
struct Draft: UploadWire {
    /// Appendix B: the version that implementations of these drafts send to avoid conflicts with others.
    static let interopVersion = 8
    /// §6: the media type of appended content.
    static let mediaType = "application/partial-upload"

    let completesByOffset = false
    let lostStatuses: Set<Int> = [404, 410]

    /// Makes a creation request without content, which leaves the upload incomplete (§4.2.1).
    ///
    /// Its response contains the URL of the upload, for a client that doesn't receive interim responses.
    func creation(of request: Request, length: Int64, hasContent: Bool) -> Request {
        var creation = request
        creation.removeMessageFields()
        creation.headers[.uploadDraftInteropVersion] = "\(Self.interopVersion)"
        creation.headers[.uploadComplete] = Self.boolean(false)
        creation.headers[.uploadLength] = "\(length)"
        return creation
    }

    func complete(_ request: inout Request, for action: UploadAction) {
        request.headers[.uploadDraftInteropVersion] = "\(Self.interopVersion)"
        guard case .append(let content, let completes) = action else { return }
        request.headers[.contentType] = Self.mediaType
        request.headers[.uploadOffset] = "\(content.lowerBound)"
        request.headers[.uploadComplete] = Self.boolean(completes)
    }

    private static func boolean(_ value: Bool) -> String { value ? "?1" : "?0" }

    func answer(_ head: HTTPResponse, now: Date) -> UploadAnswer {
        let fields = head.headerFields
        var answer = plainAnswer(head, now: now)
        answer.offset = Self.count(Self.item(fields[.uploadOffset]))
        answer.length = Self.count(Self.item(fields[.uploadLength]))
        if case .bool(let isComplete) = Self.item(fields[.uploadComplete]) { answer.isComplete = isComplete }
        if let limits = fields[.uploadLimit].flatMap(Self.limits(in:)) {
            answer.limits.maximumSize = limits["max-size"]
            answer.limits.minimumSize = limits["min-size"]
            answer.limits.maximumPart = limits["max-append-size"]
            answer.limits.minimumPart = limits["min-append-size"]
            answer.expiry = limits["max-age"].map { now.addingTimeInterval(Double($0)) }
        }
        return answer
    }

    /// Parses an item of a structured field (RFC 9651 §3.3).
    ///
    /// An invalid one counts as missing (§4.1.1 to §4.1.3).
    private static func item(_ value: String?) -> RFC9651BareItem? {
        guard let bytes = value?.structuredFieldBytes else { return nil }
        var parser = StructuredFieldValueParser(bytes)
        return try? parser.parseItemFieldValue().rfc9651BareItem
    }

    private static func count(_ item: RFC9651BareItem?) -> Int64? {
        if case .integer(let number) = item, number >= 0 { return number }
        return nil
    }

    private static let limitNames: Set<String> = [
        "max-size", "min-size", "max-append-size", "min-append-size", "max-age",
    ]

    /// Returns the known members of `Upload-Limit`, or `nil` if one of them isn't a number.
    ///
    /// Such a member makes the whole field invalid (§4.1.4).
    private static func limits(in value: String) -> [String: Int64]? {
        guard let bytes = value.structuredFieldBytes else { return nil }
        var parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
        var limits: [String: Int64] = [:]
        for (name, member) in members where limitNames.contains(name) {
            guard case .item(let item) = member, let number = count(item.rfc9651BareItem) else { return nil }
            limits[name] = number
        }
        return limits
    }

    // MARK: - Problem types, §7

    private static let problemTypes = "https://iana.org/assignments/http-problem-types#"

    /// Returns whether the content of a response may be one of the protocol's problems, RFC 9457 §3.
    static func mayHaveProblem(_ head: HTTPResponse) -> Bool {
        head.status.kind == .clientError
            && MediaType(head.headerFields[.contentType])?.essence == "application/problem+json"
    }

    /// Returns the problem that a document describes, or `nil` for any other document.
    static func problem(in document: Data) -> UploadProblem? {
        Steps.take(document.count)
        guard let object = try? JSONDecoder().decode(JSONValue.self, received: document),
            let type = object["type"]?.string?.without(prefix: problemTypes)
        else { return nil }
        switch type {
        case "mismatching-upload-offset":
            return .mismatchingOffset(expected: object["expected-offset"]?.integer.flatMap { $0 < 0 ? nil : $0 })
        case "completed-upload": return .completed
        case "inconsistent-upload-length": return .inconsistentLength
        default: return nil
        }
    }
}
