import Foundation
import HTTPChainCore
import HTTPTypes

extension LogReceipt {
    /// Returns the receipt, with the receiver's message if it refused the batch.
    func explained(by message: String?) -> LogReceipt {
        guard case .refused(let reason) = self, let message else { return self }
        return .refused("\(reason): \(message)")
    }
}

/// A receiver's message about a batch, in a form suitable for a log line.
enum ReceiverMessage {
    private static let limit = 500
    private static let redaction = Redaction.standard

    /// Returns the text as one line of limited length, without secrets, or `nil` if there is no text.
    static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        let start = text.unicodeScalars.prefix(4 * limit)
        let shown = redaction.text(String(start), isCutOff: start.endIndex < text.endIndex)
        // A terminal that shows the log would interpret control characters.
        let words = shown.unicodeScalars.split { $0.properties.isWhitespace || $0.isDisruptive }
        let line = words.map { String($0) }.joined(separator: " ")
        return line.isEmpty ? nil : line.printable(cutAfter: limit)
    }

    /// Returns the content if it is plain text.
    static func plainText(_ head: HTTPResponse, _ body: Data) -> String? {
        guard head.headerFields[.contentType]?.lowercased().begins(with: "text/plain") ?? true else { return nil }
        return line(String(data: body, encoding: .utf8))
    }
}

/// The URL of a receiver.
enum LogEndpoint {
    /// Appends a path to that of the URL, before the query.
    ///
    /// A URL whose path already ends with it is returned unchanged.
    static func url(_ base: String, path: String) -> String {
        let end = base.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? base.endIndex
        var address = base[..<end]
        while address.utf8.last == UInt8(ascii: "/") { address = Substring(address.utf8.dropLast()) }
        return String(address) + (String(address).ends(with: path) ? "" : path) + String(base[end...])
    }
}
