import AsyncAlgorithms
import Foundation
import HTTPChainCore
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Converts a client's requests to requests of the chain.
struct Gateway: Sendable {
    let chain: Chain

    /// A channel for a request's content, with back pressure from the chain to the client.
    typealias Content = AsyncThrowingChannel<Data, any Error>

    /// Creates the chain's request.
    ///
    /// - Parameters:
    ///   - head: The head of the client's request.
    ///   - content: The content, or `nil` if there is none.
    /// - Returns: `nil` if the method or target is invalid, or can't be forwarded.
    func request(_ head: HTTPRequestHead, content: Content?) -> Request? {
        // SwiftNIO writes this method without its hyphen.
        let name = head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue
        guard let method = HTTPRequest.Method(name), let target = Target(head) else { return nil }
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

    /// Returns whether the head announces content, RFC 9112 §6.3.
    static func hasContent(_ head: HTTPRequestHead) -> Bool {
        if head.headers.contains(name: "Transfer-Encoding") { return true }
        return head.headers.first(name: "Content-Length").flatMap { Int64($0) }.map { $0 > 0 } ?? false
    }
}

/// The authority and path of a request's target, RFC 9112 §3.2 and §3.3.
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
