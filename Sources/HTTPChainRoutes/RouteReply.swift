public import Foundation
public import HTTPChainCore

/// The reply of a route, with all properties of its response: `reply.status`, `reply.headers`, `reply.cacheStatus`.
@dynamicMemberLookup
public struct RouteReply: Sendable {
    /// The content of a reply.
    package enum Content: Sendable {
        /// No content.
        case none
        /// JSON.
        case json(JSONValue)
        /// Text.
        case text(String)
        /// Any other content.
        case data(Data)
        /// A file, for routes that save the response.
        ///
        /// It is deleted when the last reference to it is released, unless you move it.
        case file(TemporaryFile)
    }

    /// The content.
    package let content: Content
    /// The response.
    public let response: Response

    /// The JSON; `nil` for anything else.
    public var json: JSONValue? { if case .json(let value) = content { value } else { nil } }

    /// The text; `nil` for anything else.
    public var text: String? { if case .text(let text) = content { text } else { nil } }

    /// Any other content; `nil` for JSON, text and files.
    public var data: Data? { if case .data(let data) = content { data } else { nil } }

    /// The file; `nil` for anything else.
    public var file: TemporaryFile? { if case .file(let file) = content { file } else { nil } }

    /// A property of the response.
    public subscript<Part>(dynamicMember part: KeyPath<Response, Part>) -> Part { response[keyPath: part] }
}
