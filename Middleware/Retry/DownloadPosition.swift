package import Foundation
package import HTTPChainCore
import HTTPTypes

/// The position of a download and its missing range.
///
/// Also checks whether a response continues the download.
package struct DownloadPosition: Hashable {
    /// The bytes read so far, which start with the first one that the caller gets.
    private var received: PartialContent
    private let ifRange: String
    private let coding: String?
    /// The end of the requested bytes, or `nil` if the size is unknown.
    private var end: Int64?
    /// The end of the current response's range, or `nil` if the response doesn't have one.
    private var partEnd: Int64?
    /// The number of leading bytes of the current response that were already read.
    private var repeated: Int64 = 0

    /// The reason why a response can't continue a broken download.
    package struct Refusal: Error {
        package let reason: String
    }

    /// An error thrown if a response has more bytes than its range.
    package struct Excess: Error {}

    /// Makes the position at the start of a response's body, or returns `nil` if its download can't be resumed.
    ///
    /// Ranges count the bytes as sent (RFC 9110 §14.1.2), so the content must not have been decoded in transit.
    ///
    /// - Parameters:
    ///   - response: The response to a GET request, the only method with ranges (§14.2).
    ///   - receivedAt: The time of arrival, which replaces a missing `Date` (§6.6.1).
    package init?(_ response: Response, receivedAt: Date? = nil) {
        let code = response.status.code
        guard code == 200 || code == 206 else { return nil }
        let validators = Validators(response.headers, receivedAt: receivedAt)
        guard let ifRange = validators.ifRange, response.acceptsByteRanges, !response.wasDecoded else { return nil }
        self.ifRange = ifRange
        coding = response.headers[.contentEncoding]
        let length = response.body.length
        let range: ContentRange
        if code == 206 {
            guard let part = ContentRange(response.headers), response.mayContain(part) else { return nil }
            range = ContentRange(part.range.lowerBound..<part.range.lowerBound, of: part.length)
            end = part.range.upperBound
        } else {
            range = ContentRange(0..<0, of: length)
            end = length
        }
        received = PartialContent(validators, range)
        partEnd = end
    }

    /// The next byte of the representation.
    package var offset: Int64 { received.range.upperBound }

    /// The number of missing bytes, if known.
    package var missing: Int64? { end.map { $0 - offset } }

    /// Whether all bytes have arrived, provided that the current response has ended.
    package var isComplete: Bool { end.map { offset >= $0 } ?? (partEnd == nil) }

    /// Whether all bytes of the current response's range have arrived.
    package var isPartComplete: Bool { partEnd.map { offset >= $0 } ?? false }

    /// Whether the rest of the current response is beyond the requested bytes.
    package var isBeyondEnd: Bool {
        guard let end, let partEnd else { return false }
        return offset >= end && partEnd > end
    }

    /// Counts received bytes, and returns the range of those that are requested and weren't read before.
    package mutating func take(_ count: Int) throws(Excess) -> Range<Int> {
        let skipped = Int(min(repeated, Int64(count)))
        repeated -= Int64(skipped)
        if let partEnd, Int64(count - skipped) > partEnd - offset { throw Excess() }
        let fresh = Int(min(missing ?? .max, Int64(count - skipped)))
        received.extend(by: fresh)
        return skipped..<(skipped + fresh)
    }

    /// Restricts a request to the missing range of the same version (RFC 9110 §13.1.5, §14.2).
    ///
    /// Conditions on whether to download at all are removed, because the download has already started.
    package func restrict(_ request: inout Request) {
        request.head.headerFields[.range] = RequestedRange.field(from: offset, to: end)
        request.head.headerFields[.ifRange] = ifRange
        request.head.headerFields[.ifNoneMatch] = nil
        request.head.headerFields[.ifModifiedSince] = nil
    }

    /// Accepts a response that begins with the missing range, or with bytes before it.
    ///
    /// It may contain only the beginning of the range, RFC 9110 §15.3.7.
    ///
    /// - Parameters:
    ///   - response: The response to a request for the range.
    ///   - receivedAt: The time of arrival, which replaces a missing `Date` (§6.6.1).
    /// - Throws: ``Refusal`` if the response doesn't contain the range, or may not.
    package mutating func resume(with response: Response, receivedAt: Date? = nil) throws(Refusal) {
        guard response.status.code == 206 else {
            throw Refusal(
                reason: response.status.code == 200
                    ? "the server sends the whole content again: it has changed, or ranges are not supported"
                    : "the server answers \(response.status.code)"
            )
        }
        guard !response.wasDecoded, response.headers[.contentEncoding] ?? coding == coding else {
            throw Refusal(reason: "the content coding differs")
        }
        guard let part = ContentRange(response.headers) else {
            throw Refusal(reason: "the response does not say which range it contains")
        }
        guard response.mayContain(part) else { throw Refusal(reason: "the length and the range do not match") }
        let joined: PartialContent
        do throws(PartialContent.Obstacle) {
            joined = try received.joined(
                with: PartialContent(Validators(response.headers, receivedAt: receivedAt), part),
                requestedIf: ifRange
            )
        } catch {
            throw Refusal(reason: error.rawValue)
        }
        guard part.range.contains(offset) else { throw Refusal(reason: PartialContent.Obstacle.gap.rawValue) }
        guard end ?? 0 <= joined.length ?? .max else {
            throw Refusal(reason: PartialContent.Obstacle.length.rawValue)
        }
        received.length = joined.length
        end = end ?? joined.length
        partEnd = part.range.upperBound
        repeated = offset - part.range.lowerBound
    }

    /// Returns whether a response says that no bytes follow those that were read: 416 with the same number of bytes,
    /// RFC 9110 §15.5.17.
    ///
    /// A download of unknown size ends in this way if its connection was lost after its last byte arrived.
    ///
    /// - Parameters:
    ///   - response: The response to a request for the range.
    ///   - receivedAt: The time of arrival, which replaces a missing `Date` (§6.6.1).
    package func isComplete(by response: Response, receivedAt: Date? = nil) -> Bool {
        let validators = Validators(response.headers, receivedAt: receivedAt)
        return end == nil && response.status.code == 416
            && ContentRange.unsatisfiedLength(response.headers) == offset
            && (validators.isEmpty || received.validators.isSameVersion(as: validators, requestedIf: ifRange))
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

    /// Whether the transport or an inner stage has decoded the content.
    fileprivate var wasDecoded: Bool {
        options[OriginalContentFieldsFact.self][.contentEncoding] != nil
    }

    /// Returns whether the length of the body is that of a range, or isn't known.
    fileprivate func mayContain(_ part: ContentRange) -> Bool {
        body.length.map { $0 == part.range.upperBound - part.range.lowerBound } ?? true
    }
}
