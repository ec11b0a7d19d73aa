import Foundation
import HTTPChainCore
import HTTPTypes

extension LogReceipt {
    /// The receipt with what the receiver said, where it refused the batch.
    func explained(by message: String?) -> LogReceipt {
        guard case .refused(let reason) = self, let message else { return self }
        return .refused("\(reason): \(message)")
    }
}

/// The words of a receiver about a batch, made fit for a line of a log.
enum ReceiverMessage {
    private static let limit = 500
    private static let redaction = Redaction.standard

    /// One line without secrets, of bounded length; `nil` when there is nothing in it.
    static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        let start = text.prefix(4 * limit)
        let shown = redaction.text(String(start), isCutOff: start.endIndex < text.endIndex)
        // Control characters too: a terminal that shows the log would obey them.
        let words = shown.split { $0.isWhitespace || $0.isNewline || $0.isControl }
        let line = words.joined(separator: " ")
        return line.isEmpty ? nil : line.count > limit ? line.prefix(limit) + "…" : line
    }

    /// Content that is plain text.
    static func plainText(_ head: HTTPResponse, _ body: Data) -> String? {
        guard head.headerFields[.contentType]?.lowercased().hasPrefix("text/plain") ?? true else { return nil }
        return line(String(data: body, encoding: .utf8))
    }
}

extension Character {
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

/// Where a receiver takes records.
enum LogEndpoint {
    /// The path after that of the receiver's URL, before its query; a URL whose path already ends with it keeps it.
    static func url(_ base: String, path: String) -> String {
        let end = base.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? base.endIndex
        var address = base[..<end]
        while address.utf8.last == UInt8(ascii: "/") { address = Substring(address.utf8.dropLast()) }
        return String(address) + (address.hasSuffix(path) ? "" : path) + String(base[end...])
    }
}
