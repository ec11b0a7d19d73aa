import HTTPChainSupport
package import HTTPTypes

/// The Content-Length field, RFC 9110 §8.6.
package enum ContentLength {
    /// Returns the length that a field value declares, or `nil` if it is invalid.
    ///
    /// The same number repeated ("5, 5") is accepted as that number, as §8.6 allows.
    package static func parse(_ text: String) -> Int64? {
        Steps.take(text.utf8.count)
        // The value is nearly always a single number.
        if let length = number(text.utf8[...]) { return length }
        var result: Int64?
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let length = number(part.trimmingSpace()), result == nil || result == length else { return nil }
            result = length
        }
        return result
    }

    /// Parses decimal digits; returns `nil` if there are none, for any other character, and on overflow.
    static func number(_ digits: Substring.UTF8View) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var result: Int64 = 0
        for byte in digits {
            guard byte &- 0x30 < 10 else { return nil }
            let tens = result.multipliedReportingOverflow(by: 10)
            let sum = tens.partialValue.addingReportingOverflow(Int64(byte &- 0x30))
            guard !tens.overflow, !sum.overflow else { return nil }
            result = sum.partialValue
        }
        return result
    }
}

extension HTTPFields {
    /// The length that a message declares for its content; nil if it declares none.
    package var declaredLength: Int64? {
        // RFC 9112 §6.3: a transfer coding determines the body's end, regardless of Content-Length.
        guard !contains(.transferEncoding), let text = self[.contentLength] else { return nil }
        return ContentLength.parse(text)
    }
}
