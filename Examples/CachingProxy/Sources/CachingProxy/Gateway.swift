import AsyncAlgorithms
import Foundation
import HTTPChainCore
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Turns what a client sends into a request of the chain.
struct Gateway: Sendable {
    let chain: Chain

    /// The content of a request on its way from the client, which waits for the chain to take it.
    typealias Content = AsyncThrowingChannel<Data, any Error>

    /// Makes the request.
    ///
    /// - Parameters:
    ///   - head: What the client sent.
    ///   - content: Its content; `nil` when it has none.
    /// - Returns: `nil` when the target is none that can be forwarded.
    func request(_ head: HTTPRequestHead, content: Content?) -> Request? {
        guard let method = HTTPRequest.Method(head.method.rawValue), let target = Target(head) else { return nil }
        var request = Request(
            head: HTTPRequest(method: method, scheme: "http", authority: target.authority, path: target.path)
        )
        let listed = HopByHop.listed(head.headers["Connection"])
        var length: Int64?
        for (name, value) in head.headers where !HopByHop.contains(name, listed: listed) {
            switch name.lowercased() {
            case "content-length": length = Int64(value)
            case "expect": continue
            default:
                guard let name = HTTPField.Name(name) else { continue }
                request.head.headerFields.append(HTTPField(name: name, value: value))
            }
        }
        if let content { request.body = .once(length: length, chunks: content) }
        return request
    }

    /// Whether the head announces content, RFC 9112 §6.3.
    static func hasContent(_ head: HTTPRequestHead) -> Bool {
        if head.headers.contains(name: "Transfer-Encoding") { return true }
        return head.headers.first(name: "Content-Length").flatMap { Int64($0) }.map { $0 > 0 } ?? false
    }
}

/// Which authority and path a request asks for, RFC 9112 §3.2 and §3.3.
private struct Target {
    var authority: String
    var path: String

    init?(_ head: HTTPRequestHead) {
        guard head.uri.utf8.first != UInt8(ascii: "/"), head.uri != "*" else {
            authority = head.headers.first(name: "Host") ?? "localhost"
            path = head.uri
            return
        }
        let absolute = Request(.get, head.uri).head
        guard absolute.scheme?.lowercased() == "http", let named = absolute.authority else { return nil }
        authority = named
        path = absolute.path.flatMap { $0.isEmpty ? nil : $0 } ?? "/"
    }
}
