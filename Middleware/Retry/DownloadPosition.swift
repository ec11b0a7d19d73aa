import HTTPChainCore
import HTTPTypes

/// A download's position, its missing range, and the check of a response that continues it.
struct DownloadPosition: Hashable {
    private let validator: StrongValidator
    private let coding: String?
    /// The next byte of the representation.
    private(set) var offset: Int64
    /// The last requested byte, or `nil` if the size is unknown.
    private(set) var last: Int64?
    private var total: Int64?

    /// The reason why a response can't continue a broken download.
    struct Refusal: Error {
        let reason: String
    }

    /// Makes the position at the start of a response's body, or returns `nil` if its download can't be resumed.
    ///
    /// Ranges count the bytes that are sent (RFC 9110 §14.1.2), so nothing may have decoded them in transit.
    ///
    /// - Parameter response: The response to a GET request, the only method with ranges, §14.2.
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

    /// The number of missing bytes, if known.
    var missing: Int64? { last.map { $0 - offset + 1 } }

    /// Counts received bytes.
    mutating func advance(by count: Int) {
        offset += Int64(count)
    }

    /// Restricts a request to the missing range of this version (RFC 9110 §13.1.5, §14.2).
    ///
    /// Removes conditions on whether to download at all, because the download has already started.
    func restrict(_ request: inout Request) {
        request.head.headerFields[.range] = "bytes=\(offset)-\(last.map(String.init) ?? "")"
        request.head.headerFields[.ifRange] = validator.field
        request.head.headerFields[.ifNoneMatch] = nil
        request.head.headerFields[.ifModifiedSince] = nil
    }

    /// Accepts a response with the missing range (RFC 9110 §15.3.7).
    ///
    /// - Throws: ``Refusal`` if the response doesn't have it, or may not.
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
    /// Whether the server may support byte ranges, RFC 9110 §14.3.
    fileprivate var acceptsByteRanges: Bool {
        guard let units = headers[.acceptRanges] else { return true }
        return units.lowercased().pieces(at: ",").contains { unit in
            unit.pieces(at: " ").first == "bytes"
        }
    }

    /// Whether the transport or an inner stage decoded the content.
    fileprivate var wasDecoded: Bool {
        options[OriginalContentFields.self][.contentEncoding] != nil
    }
}
