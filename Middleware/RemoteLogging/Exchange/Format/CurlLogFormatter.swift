import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The formatter ``LogFormatter/curl``.
package struct CurlLogFormatter: DetailedLogFormatter {
    /// Makes the formatter.
    package init() {}

    /// From the header fields to the bodies.
    package var detailRange: ClosedRange<ExchangeDetail> { .headers ... .bodies }

    /// Returns the command line.
    package func message(for exchange: ExchangeLog) -> String {
        let fields = exchange.requestFields ?? [:]
        let data = exchange.requestBody.flatMap { $0.kind == .text ? $0.text : nil }
        var words = ["curl"] + Self.method(exchange.method, hasData: data != nil)
        // curl treats brackets and braces in a URL as patterns, and normalizes paths.
        if exchange.url.utf8.contains(where: "[]{}".utf8.contains) { words.append("--globoff") }
        if exchange.url.utf8.contains("/.".utf8) { words.append("--path-as-is") }
        if fields[.acceptEncoding] != nil { words.append("--compressed") }
        for field in fields where !Self.ownFields.contains(field.name) {
            // The body is shown with its content coding removed.
            if data != nil, field.name == .contentEncoding { continue }
            // A field without a value is written with a semicolon. With a colon, curl would omit it.
            let value = field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)"
            words += ["--header", Escaping.shellWord(value)]
        }
        if let data {
            if fields[.contentType] == nil { words += ["--header", "'Content-Type:'"] }
            // `--data` isn't used, because it treats data that begins with @ as a file name.
            words += ["--data-raw", Escaping.shellWord(data)]
        }
        // A word that begins with a dash would be treated as an option.
        if exchange.url.utf8.first == UInt8(ascii: "-") { words.append("--url") }
        words.append(Escaping.shellWord(exchange.url))
        if let comment = Self.comment(on: exchange) { words.append("# \(comment.printable())") }
        return words.joined(separator: " ")
    }

    private static func method(_ method: HTTPRequest.Method, hasData: Bool) -> [String] {
        switch (method, hasData) {
        case (.head, false): ["--head"]
        case (.get, false), (.post, true): []
        default: ["--request", Escaping.shellWord(method.rawValue)]
        }
    }

    private static func comment(on exchange: ExchangeLog) -> String? {
        guard let body = exchange.requestBody else {
            guard let size = exchange.requestSize.best else { return nil }
            return size > 0 ? "the body is not shown: \(size) bytes" : nil
        }
        if body.kind != .text { return "the body is not shown: \(body.text)" }
        return body.isTruncated ? "the body is cut off" : nil
    }

    /// The fields that curl sets itself.
    private static let ownFields: Set<HTTPField.Name> = [.contentLength, .transferEncoding]
}
