import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLBuilder
import HTTPTypes

/// The place that a request for a resource is sent to: the collection of the type's path, or an item of it.
struct ResourcePlace: Sendable {
    private let property: String
    /// The value of the item's variable; `nil` for a collection.
    private let identity: URLValue?
    private let isCollection: Bool

    /// Finds the place of a request; returns `nil` if the request is for something else.
    ///
    /// - Parameters:
    ///   - path: The type's path.
    ///   - target: The request's target with its variables unfilled, relative or absolute.
    ///   - variables: The values of the variables.
    init?(_ path: ResourcePath, target: String, _ variables: URLParameters) {
        let target = URIReference(target).path
        func isTarget(_ path: String) -> Bool {
            let path = String(path.unicodeScalars.drop { $0 == "/" })
            return target.hasSameBytes(as: path) || target.ends(with: "/" + path)
        }
        property = path.identity
        isCollection = isTarget(path.collection)
        identity = isTarget(path.item) ? variables[path.identity] : nil
        guard isCollection || identity != nil else { return nil }
    }

    /// Returns a record that can be saved, even if the service's object lacks the value of the path's last variable.
    func locating<Kind: Resource>(_ record: ResourceRecord<Kind>, _ response: Response) -> ResourceRecord<Kind> {
        guard (try? record.identity(property)) == nil else { return record }
        var record = record
        record.fetchedIdentity = identity ?? (isCollection ? response.createdIdentity : nil)
        return record
    }
}

extension Response {
    /// The last segment of the created resource's URL, RFC 9110 §15.3.2, if it is an item of the collection that the
    /// request was sent to.
    fileprivate var createdIdentity: URLValue? {
        guard status == .created, let location = headers[.location], let url else { return nil }
        let collection = URIReference(url)
        let item = URIReference(location).resolved(against: collection)
        let directory = collection.path.ends(with: "/") ? collection.path : collection.path + "/"
        guard Origin(item.text) == Origin(url), item.query == nil, let segment = item.path.without(prefix: directory),
            !segment.isEmpty, !segment.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        return segment.removingPercentEncoding.map { .opaque($0) }
    }
}
