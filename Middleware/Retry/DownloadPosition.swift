import HTTPChainCore
import HTTPTypes

/// How far a download has come, what is still missing, and which response holds the rest of it.
struct DownloadPosition: Hashable {
    private let validator: StrongValidator
    private let coding: String?
    /// The next byte of the representation.
    private(set) var offset: Int64
    /// The last byte that is wanted; `nil` while the size is not known.
    private(set) var last: Int64?
    private var total: Int64?

    /// Why a response cannot go on where a download broke.
    struct Refusal: Error {
        let reason: String
    }

    /// The position at the beginning of a response's body; `nil` when a download of it could not go on after a break.
    ///
    /// A range is of the bytes that are sent (RFC 9110 §14.1.2), so nothing may have decoded them in transit.
    ///
    /// - Parameter response: The response to a GET: ranges are defined for that alone, §14.2.
    init?(_ response: Response) {
        let code = response.status.code
        guard code == 200 || code == 206, let validator = StrongValidator(of: response.headers),
            response.acceptsByteRanges, !response.wasDecoded
        else { return nil }
        self.validator = validator
        coding = response.headers[.contentEncoding]
        let length = response.body.length
        if code == 206 {
            guard let range = ContentRange(response.headers[.contentRange]), length ?? range.count == range.count else {
                return nil
            }
            offset = range.first
            last = range.last
            total = range.total
        } else {
            offset = 0
            last = length.map { $0 - 1 }
            total = length
        }
    }

    /// The number of bytes that are missing, where that is known.
    var missing: Int64? { last.map { $0 - offset + 1 } }

    /// Counts bytes that arrived.
    mutating func advance(by count: Int) {
        offset += Int64(count)
    }

    /// Makes a request one for the rest, of this version alone (RFC 9110 §13.1.5, §14.2).
    ///
    /// Conditions that decided whether there should be a download at all are left out: there is one.
    func restrict(_ request: inout Request) {
        request.head.headerFields[.range] = "bytes=\(offset)-\(last.map(String.init) ?? "")"
        request.head.headerFields[.ifRange] = validator.field
        request.head.headerFields[.ifNoneMatch] = nil
        request.head.headerFields[.ifModifiedSince] = nil
    }

    /// Takes a response for the rest, if it is (RFC 9110 §15.3.7).
    ///
    /// - Throws: ``Refusal`` when it is not, or cannot be known to be.
    mutating func resume(with response: Response) throws(Refusal) {
        guard response.status.code == 206 else {
            throw Refusal(
                reason: response.status.code == 200
                    ? "the server sends the whole again: it has changed, or ranges are not supported"
                    : "the server answers \(response.status.code)"
            )
        }
        guard validator.matches(response.headers) else { throw Refusal(reason: "the version is not the same") }
        guard !response.wasDecoded, response.headers[.contentEncoding] ?? coding == coding else {
            throw Refusal(reason: "the content coding is not the same")
        }
        guard let range = ContentRange(response.headers[.contentRange]) else {
            throw Refusal(reason: "the response does not say which range it holds")
        }
        guard range.first == offset, range.last == last ?? range.total.map({ $0 - 1 }) else {
            throw Refusal(reason: "the range is not the one that is missing")
        }
        guard range.total ?? total ?? 0 == total ?? range.total ?? 0 else {
            throw Refusal(reason: "the size is not the same")
        }
        guard response.body.length ?? range.count == range.count else {
            throw Refusal(reason: "the length and the range do not fit")
        }
        last = range.last
        total = total ?? range.total
    }
}

extension Response {
    /// Whether the server does not rule out ranges of bytes, RFC 9110 §14.3.
    fileprivate var acceptsByteRanges: Bool {
        guard let units = headers[.acceptRanges] else { return true }
        return units.lowercased().pieces(at: ",").contains { unit in
            unit.pieces(at: " ").first == "bytes"
        }
    }

    /// Whether the transport or a stage inside undid a content coding.
    fileprivate var wasDecoded: Bool {
        options[OriginalContentFields.self][.contentEncoding] != nil
    }
}
