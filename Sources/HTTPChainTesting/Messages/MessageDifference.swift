import Foundation
import HTTPChainCore
import HTTPTypes

/// An error for a request or response that differs from a test's expectation; the description lists all differences.
package struct MessageDifference: HTTPChainError, Hashable {
    /// The name of the compared values, such as "request" or "response".
    package let subject: String
    /// The differences, each of one or a few lines, with secrets redacted.
    package let differences: [String]

    package var stage: String { "expectation" }

    /// The differences as a list.
    package var reason: String {
        "the \(subject) is not as expected:\n"
            + differences.map { "  - " + Escaping.replacing(in: $0) { $0 == "\n" ? "\n    " : nil } }.joined(
                separator: "\n"
            )
    }

    /// The same as ``reason``.
    package var description: String { reason }
}

/// Finds the header fields that a message lacks, and those that it must not have.
enum FieldDifference {
    static func describe(
        _ actual: HTTPFields,
        including expected: HTTPFields,
        without absent: [HTTPField.Name]
    ) -> [String] {
        missingOrDifferent(expected, in: actual)
            + absent.filter { actual.contains($0) }.map { name in
                "\(name) is not expected; it is \(shown(actual[values: name], of: name))"
            }
    }

    private static func missingOrDifferent(_ expected: HTTPFields, in actual: HTTPFields) -> [String] {
        var seen: Set<HTTPField.Name> = []
        return expected.map(\.name).filter { seen.insert($0).inserted }.compactMap { name in
            let wanted = expected[values: name]
            let found = actual[values: name]
            if wanted == found { return nil }
            if found.isEmpty { return "\(name) is missing; expected \(shown(wanted, of: name))" }
            if Redaction.standard.isSecret(name) {
                return "\(name) has a different value than expected (both \(Redaction.placeholder))"
            }
            return "\(name) is \(shown(found, of: name)), not \(shown(wanted, of: name))"
        }
    }

    private static func shown(_ values: [String], of name: HTTPField.Name) -> String {
        if Redaction.standard.isSecret(name) { return Redaction.placeholder }
        return values.map { "\"\($0)\"" }.joined(separator: " and ")
    }
}

/// Finds the first difference between two contents.
enum ContentDifference {
    /// The number of bytes shown on either side of the first difference.
    private static let context = 20

    static func describe(_ actual: Data, expected: Data) -> String? {
        if actual == expected { return nil }
        // If texts are canonically equal but their bytes differ, the bytes are shown.
        if let actual = String(data: actual, encoding: .utf8), let expected = String(data: expected, encoding: .utf8),
            actual != expected
        {
            return describe(Array(actual), expected: Array(expected))
        }
        let offset = zip(actual, expected).prefix { $0 == $1 }.count
        return """
            the body has \(actual.count) bytes, not \(expected.count); they differ from byte \(offset)
            actual:   \(hex(actual, around: offset))
            expected: \(hex(expected, around: offset))
            """
    }

    /// Compares contents as JSON values.
    ///
    /// For this, both are formatted with sorted keys, one per line.
    static func describe(_ actual: Data, expectedJSON: String) -> String? {
        guard let expected = canonical(Data(expectedJSON.utf8)) else { return "the expected JSON is not JSON" }
        guard let found = canonical(actual) else {
            return "the body is not JSON: \(BodyPreview(actual.prefix(256), isTruncated: actual.count > 256))"
        }
        return describe(found, expected: expected)
    }

    private static func canonical(_ json: Data) -> Data? {
        guard let value = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) else { return nil }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .prettyPrinted, .fragmentsAllowed]
        return try? JSONSerialization.data(withJSONObject: value, options: options)
    }

    private static func describe(_ actual: [Character], expected: [Character]) -> String {
        let offset = zip(actual, expected).prefix { $0 == $1 }.count
        let before = actual[..<offset]
        let line = before.count(where: \.isNewline) + 1
        let column = offset - (before.lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0) + 1
        return """
            the body differs from line \(line), column \(column)
            actual:   \(text(actual, around: offset))
            expected: \(text(expected, around: offset))
            """
    }

    private static func text(_ characters: [Character], around offset: Int) -> String {
        let range = window(characters.count, around: offset)
        let shown = String(characters[range]).debugDescription
        return (range.lowerBound > 0 ? "…" : "") + shown + (range.upperBound < characters.count ? "…" : "")
            + (offset == characters.count ? " (ends there)" : "")
    }

    private static func hex(_ bytes: Data, around offset: Int) -> String {
        let range = window(bytes.count, around: offset)
        let shown = bytes.dropFirst(range.lowerBound).prefix(range.count).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return (range.lowerBound > 0 ? "… " : "") + shown.joined(separator: " ")
            + (range.upperBound < bytes.count ? " …" : "") + (offset == bytes.count ? " (ends there)" : "")
    }

    private static func window(_ count: Int, around offset: Int) -> Range<Int> {
        max(0, offset - context)..<min(count, offset + context)
    }
}
