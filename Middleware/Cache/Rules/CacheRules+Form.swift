import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension CacheRules {
    /// The form in which a stored response can be served: whole, 304 or a part; `nil` if it can't be.
    func form(of entry: CacheEntry, for question: CacheQuestion) -> CacheAnswer.Form? {
        let asked = question.directives
        let stored = entry.response
        // Conditions and ranges apply only if the server would have responded with 200 (RFC 9110 §13.2.1, §14.2).
        let isPlain = stored.facts.status != 200 || question.request.method != question.key?.method
        if asked.hasCondition, stored.facts.status == 200, isNotModified(stored, question.request.headerFields) {
            // For other methods the server decides (RFC 9110 §13.1.2).
            return [.get, .head].contains(question.request.method) ? .notModified : nil
        }
        // Only GET defines ranges (RFC 9110 §14.2).
        let isRange = asked.hasRange && !isPlain && question.request.method == .get
        let range = isRange ? requestedRange(of: stored, question.request.headerFields) : .none
        switch stored.metadata.content {
        case .complete:
            switch range {
            case .none: return .whole
            case .several: return nil
            case .from, .suffix:
                let length = stored.bodyLength
                return range.resolved(length: length).map { .part($0, of: length) } ?? .unsatisfiable(length: length)
            }
        case .part(let held, let length):
            guard range != .none, range != .several else { return nil }
            if let length {
                guard let wanted = range.resolved(length: length) else { return .unsatisfiable(length: length) }
                return held.contains(wanted) ? .part(wanted, of: length) : nil
            }
            guard case .from(let first, .some(let last)) = range, last < Int64.max, held.contains(first..<(last + 1))
            else { return nil }
            return .part(first..<(last + 1), of: nil)
        }
    }

    /// Whether the conditions in the request mean that the response is a 304: RFC 9110 §13.1.3 and §13.1.2, with the
    /// precedence of §13.2.2; RFC 9111 §4.3.2.
    private func isNotModified(_ stored: StoredResponse, _ fields: HTTPFields) -> Bool {
        let lines = fields[values: .ifNoneMatch]
        if !lines.isEmpty {
            return lines.contains { line in
                if line.trimming() == "*" { return true }
                guard let tag = stored.facts.entityTag else { return false }
                return EntityTag.list(line).contains { $0.matchesWeakly(tag) }
            }
        }
        guard let text = fields.first(of: .ifModifiedSince),
            let date = StrictDate.seconds(text, now: stored.metadata.responseTime)
        else { return false }
        return (stored.facts.lastModified ?? stored.facts.date) <= date
    }

    /// The requested range.
    ///
    /// None if `If-Range` shows that the caller's parts are of another representation, RFC 9110 §13.1.5.
    private func requestedRange(of stored: StoredResponse, _ fields: HTTPFields) -> RequestedRange {
        if let condition = fields.first(of: .ifRange), !stored.facts.validators.satisfies(ifRange: condition) {
            return .none
        }
        return RequestedRange(fields)
    }
}

extension Range<Int64> {
    fileprivate func contains(_ other: Range<Int64>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
