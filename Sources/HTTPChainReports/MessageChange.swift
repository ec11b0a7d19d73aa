package import HTTPChainRedaction
import HTTPChainSupport
import HTTPChainValues
package import HTTPTypes

/// A difference between the message a stage received and the message it passed on.
package struct MessageChange: Sendable, Hashable, CustomStringConvertible {
    /// The name of the changed part: "method", "URL", "status", "body", "option Name", or a header field's name.
    package let subject: String
    /// The value before; `nil` if the part was added.
    package let before: String?
    /// The value after; `nil` if the part was removed.
    package let after: String?

    /// One line: `+ Accept: text/html`, `- Accept: text/html`, `~ Accept: text/html → text/plain`.
    package var description: String {
        switch (before, after) {
        case (nil, let after?): "+ \(subject): \(after)"
        case (let before?, nil): "- \(subject): \(before)"
        default: "~ \(subject): \(before ?? "") → \(after ?? "")"
        }
    }

    /// Returns the differences between two lists of header fields, with secrets redacted.
    ///
    /// Repeated fields are compared as a list.
    package static func between(
        _ old: HTTPFields,
        _ new: HTTPFields,
        redaction: Redaction = .standard
    ) -> [MessageChange] {
        let (before, after) = (Dictionary(grouping: old, by: \.name), Dictionary(grouping: new, by: \.name))
        var seen: Set<HTTPField.Name> = []
        return [old, new].joined().compactMap { field in
            let name = field.name
            guard seen.insert(name).inserted, before[name]?.map(\.value) != after[name]?.map(\.value) else {
                return nil
            }
            let shown = { (fields: [HTTPField]) in fields.map(redaction.value).joined(separator: ", ") }
            return MessageChange(
                subject: name.rawName,
                before: before[name].map(shown),
                after: after[name].map(shown)
            )
        }
    }

    static func list<Value: Equatable>(_ subject: String, _ before: Value?, _ after: Value?) -> [MessageChange] {
        if before == after { return [] }
        return [
            MessageChange(subject: subject, before: before.map { "\($0)" }, after: after.map { "\($0)" })
        ]
    }

    static func options(_ old: [String], _ new: [String]) -> [MessageChange] {
        new.filter { !old.contains($0) }.map { MessageChange(subject: "option \($0)", before: nil, after: "set") }
            + old.filter { !new.contains($0) }.map { MessageChange(subject: "option \($0)", before: "set", after: nil) }
    }
}

/// The parts of a message that a trace keeps.
///
/// The body and option values are omitted, because a trace must not retain them.
package struct MessageState<Head: Sendable>: Sendable {
    private let head: Head
    private let body: String
    private let options: [String]
    private let redaction: Redaction

    /// - Parameters:
    ///   - head: The head.
    ///   - body: The description of the body.
    ///   - options: The names of the options that are set.
    ///   - redaction: The redaction rules of the request.
    package init(_ head: Head, body: String, options: [String], redaction: Redaction) {
        self.head = head
        self.body = body
        self.options = options
        self.redaction = redaction
    }
}

/// The parts of a request that a trace keeps.
package typealias RequestState = MessageState<HTTPRequest>

/// The parts of a response that a trace keeps.
package typealias ResponseState = MessageState<HTTPResponse>

extension RequestState {
    func changes(to new: RequestState) -> [MessageChange] {
        // A secret of either state is redacted in both.
        let redaction = redaction.union(new.redaction)
        let url = { (state: RequestState) in redaction.url(state.head.urlText) }
        return MessageChange.list("method", head.method.rawValue, new.head.method.rawValue)
            + MessageChange.list("URL", url(self), url(new))
            + MessageChange.between(head.headerFields, new.head.headerFields, redaction: redaction)
            + MessageChange.list("body", body, new.body)
            + MessageChange.options(options, new.options)
    }
}

extension ResponseState {
    /// Returns the changes from another response, or from none.
    func changes(from old: ResponseState?) -> [MessageChange] {
        MessageChange.list("status", old?.head.status.label, head.status.label)
            + MessageChange.between(old?.head.headerFields ?? [:], head.headerFields, redaction: redaction)
            + MessageChange.list("body", old?.body, body)
            + MessageChange.options(old?.options ?? [], options)
    }
}
