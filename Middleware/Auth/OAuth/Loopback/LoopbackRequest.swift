import Foundation
import HTTPChainSupport

/// The parts of a browser's request that the loopback server reads: the request line and the host.
struct LoopbackRequest: Hashable {
    /// The method.
    let method: String
    /// The path and query.
    let target: String
    /// The `Host` field, or `nil` if it is missing or repeated.
    let host: String?

    /// The maximum size of a head.
    static let limit = 16_384

    /// Parses a complete head.
    ///
    /// - Returns: `nil` if it isn't an HTTP/1 request.
    init?(head: Data) {
        let lines = head.split(separator: Data("\r\n".utf8)).map { String(decoding: $0, as: UTF8.self) }
        let parts = (lines.first ?? "").pieces(at: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].begins(with: "HTTP/1."), parts[1].begins(with: "/") else { return nil }
        method = String(parts[0])
        target = String(parts[1])
        let hosts = lines.dropFirst().compactMap { line -> String? in
            let pair = line.pieces(at: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return pair.count == 2 && pair[0].lowercased() == "host" ? pair[1].trimming() : nil
        }
        host = hosts.count == 1 ? hosts.first : nil
    }

    /// Whether the head is complete.
    static func isWhole(_ bytes: Data) -> Bool { bytes.range(of: Data("\r\n\r\n".utf8)) != nil }

    /// Returns the server's response.
    ///
    /// A different `Host` means that a web page reached this server under another name (DNS rebinding).
    func answer(path: String, port: UInt16, page: String) -> (response: Data, isCallback: Bool) {
        guard host == "127.0.0.1:\(port)" || host == "localhost:\(port)" else {
            return (Self.response("421 Misdirected Request", "This server is not here for that."), false)
        }
        guard target.pieces(at: "?", omittingEmptySubsequences: false)[0] == path else {
            return (Self.response("404 Not Found", "There is nothing here."), false)
        }
        guard method == "GET" else { return (Self.response("405 Method Not Allowed", "GET only."), false) }
        return (Self.response("200 OK", page), true)
    }

    static func response(_ status: String, _ page: String) -> Data {
        let head = """
            HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n\
            Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n
            """
        return Data((head + page).utf8)
    }
}
