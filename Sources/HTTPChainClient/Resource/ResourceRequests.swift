import Foundation
package import HTTPChainCore
import HTTPChainSupport
package import HTTPChainURLBuilder
package import HTTPTypes

/// A typed request of a ``ResourceCollection``.
///
/// Endpoints select these with `for: (any ResourceRequest).self`.
public protocol ResourceRequest: TypedRequest {
    /// The resource type.
    associatedtype Kind: Resource
}

/// A request of this kit for resources: what it sends, and how its output is read.
package protocol ResourceOperation: ResourceRequest {
    /// Its method, path, query and fields.
    var target: ResourceTarget { get }
    /// The values of the path's variables.
    var variables: URLParameters { get }
    /// The way the output is made from the response.
    var reading: ResultKind<Output> { get }

    /// Sets the content.
    func prepare(_ request: inout Request) throws
}

/// Where a request for resources goes.
package struct ResourceTarget: Sendable {
    var method = HTTPRequest.Method.get
    let path: String
    var query: URLQuery = [:]
    var headers: HTTPFields = [.accept: "application/json"]
}

extension ResourceOperation {
    /// The method that its operation has.
    public var method: HTTPRequest.Method { target.method }
    /// The path of the resource type, or the one without its last segment for all resources.
    public var path: String { target.path }
    /// The values of the path's variables; for one resource, the last identifies it.
    public var pathParameters: URLParameters { variables }
    /// The query of a list.
    public var query: URLQuery { target.query }
    /// The accepted media type and the preconditions of a change.
    public var headers: HTTPFields { target.headers }
    /// The records, with their validators.
    public var result: ResultKind<Output> { reading }

    /// Sets the content.
    public func configure(_ request: inout Request) throws { try prepare(&request) }

    package func prepare(_ request: inout Request) throws {}
}

/// A request that fetches one resource, with GET of its path.
public struct FetchResource<Kind: Resource>: ResourceOperation, Hashable {
    /// The resource at the service.
    public typealias Output = ResourceRecord<Kind>

    package let variables: URLParameters
    /// Whether caches must revalidate with the service.
    public var revalidates = false

    package var target: ResourceTarget {
        var target = ResourceTarget(path: Kind.path)
        if revalidates { target.headers[.cacheControl] = "no-cache" }
        return target
    }

    package var reading: ResultKind<Output> {
        let identity = (try? ResourcePath(Kind.path)).flatMap { variables[$0.identity] }
        return .resource { bytes, response in
            var record = try ResourceRecord<Kind>(bytes, in: response)
            record.fetchedIdentity = identity
            return record
        }
    }
}

/// A request that lists resources: GET of the path without its last segment.
public struct ListResources<Kind: Resource>: ResourceOperation {
    /// The resources, without versions, because a list has no version for each item.
    public typealias Output = [ResourceRecord<Kind>]

    package let variables: URLParameters
    package let target: ResourceTarget

    init(variables: URLParameters, query: URLQuery, collection: String) {
        self.variables = variables
        target = ResourceTarget(path: collection, query: query)
    }

    package var reading: ResultKind<Output> {
        .resource { bytes, _ in
            let json = try JSONDecoder().decode(JSONValue.self, received: bytes)
            guard let items = (Kind.listMember.map { json[$0] } ?? json)?.array else {
                throw ResourceError(.notAnObject("the service's response for a list of \(Kind.self)"))
            }
            return try items.map { try ResourceRecord(stored: $0) }
        }
    }
}

/// A request that creates a resource: POST to the path without its last segment.
public struct CreateResource<Kind: Resource>: ResourceOperation {
    /// The resource as the service has it now, or as it was sent if the reply has no content.
    public typealias Output = ResourceRecord<Kind>

    package let variables: URLParameters
    /// The record to create.
    public let record: ResourceRecord<Kind>
    let collection: String

    package var target: ResourceTarget {
        ResourceTarget(
            method: .post,
            path: collection,
            headers: [.accept: "application/json", .contentType: "application/json"]
        )
    }

    package var reading: ResultKind<Output> {
        let target = Result { try record.target() }
        let place = (try? ResourcePath(Kind.path)).flatMap { ResourcePlace($0, target: collection, variables) }
        return .resource { bytes, response in
            let created = try ResourceRecord<Kind>(bytes, in: response, else: try target.get())
            return place?.locating(created, response) ?? created
        }
    }

    package func prepare(_ request: inout Request) throws {
        request.body = HTTPBody(try record.target().bytes())
    }
}

/// A request that saves the changes to a resource, with PATCH or PUT, unless someone else changed it; 412 throws
/// ``LostUpdateError``.
public struct SaveResource<Kind: Resource>: ResourceOperation {
    /// The resource as the service has it now, or as it was sent if the reply has no content.
    public typealias Output = ResourceRecord<Kind>

    package let variables: URLParameters
    /// The record to save.
    public let record: ResourceRecord<Kind>

    package var target: ResourceTarget {
        ResourceTarget(
            method: Kind.saving == .put ? .put : .patch,
            path: Kind.path,
            headers: record.conditions.merging([.accept: "application/json"])
        )
    }

    package var reading: ResultKind<Output> {
        let target = Result { try record.target() }
        return ResultKind<ResourceRecord<Kind>>.resource { [identity = record.fetchedIdentity] bytes, response in
            var saved = try ResourceRecord<Kind>(bytes, in: response, else: try target.get())
            saved.fetchedIdentity = identity
            return saved
        }.noticingLostUpdates(of: record)
    }

    package func prepare(_ request: inout Request) throws {
        let target = try record.target()
        let (type, json): (String, JSONValue) =
            switch Kind.saving {
            case .mergePatch: ("application/merge-patch+json", record.stored.mergePatch(to: target))
            case .jsonPatch: ("application/json-patch+json", .array(record.stored.jsonPatch(to: target)))
            case .put: ("application/json", target)
            }
        request.headers[.contentType] = type
        request.body = HTTPBody(try json.bytes())
    }
}

/// A request that deletes a resource unless someone else changed it; 412 throws ``LostUpdateError``.
public struct DeleteResource<Kind: Resource>: ResourceOperation {
    /// No result.
    public typealias Output = Void

    package let variables: URLParameters
    /// The record to delete.
    public let record: ResourceRecord<Kind>

    package var target: ResourceTarget {
        ResourceTarget(method: .delete, path: Kind.path, headers: record.conditions)
    }

    package var reading: ResultKind<Output> {
        ResultKind<Void>.resource { _, _ in }.noticingLostUpdates(of: record)
    }
}

extension ResourceRecord {
    /// The preconditions that make the service reject a request if the resource has changed, RFC 9110 §13.1.
    ///
    /// `If-Match` compares strongly: a weak tag would never match, so the date is used instead.
    var conditions: HTTPFields {
        if let entityTag, EntityTag(entityTag)?.isWeak == false { return [.ifMatch: entityTag] }
        if let lastModified { return [.ifUnmodifiedSince: lastModified] }
        return [:]
    }

    init(_ bytes: Data, in response: Response, else sent: JSONValue? = nil) throws {
        try self.init(
            stored: bytes.isEmpty ? sent ?? .null : try JSONDecoder().decode(JSONValue.self, received: bytes),
            entityTag: response.headers[.eTag],
            lastModified: response.headers[.lastModified]
        )
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        var fields = self
        for field in others { fields[field.name] = field.value }
        return fields
    }
}

extension ResultKind {
    /// Reads the bytes of an accepted response, or of the JSON value that the request says how to decode.
    static func resource(
        _ read: @escaping @Sendable (_ bytes: Data, _ response: Response) throws -> Output
    ) -> ResultKind {
        let check = { @Sendable (bytes: Data, response: Response) throws -> Output in
            guard response.status.kind == .successful else { throw ResourceError(.status(response.status.code)) }
            return try read(bytes, response)
        }
        let decoded = decodedWithResponse(JSONValue?.self) { json, response in
            try check(json?.bytes() ?? Data(), response)
        }
        return decoded.ifDescribed(otherwise: .bytes(map: check))
    }

    fileprivate func noticingLostUpdates<Kind: Resource>(of record: ResourceRecord<Kind>) -> ResultKind {
        let (perform, tag) = (perform, record.entityTag)
        return ResultKind { request, transport, processing in
            do {
                return try await perform(request, transport, processing)
            } catch {
                guard ResourceError.isFailedPrecondition(error) else { throw error }
                throw LostUpdateError(resourceType: "\(Kind.self)", entityTag: tag, underlyingError: error)
            }
        }
    }
}
