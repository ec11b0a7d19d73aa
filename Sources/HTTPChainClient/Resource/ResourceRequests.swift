import Foundation
public import HTTPChainCore
import HTTPChainSupport
public import HTTPChainURLBuilder
public import HTTPTypes

/// A typed request of a ``ResourceCollection``.
///
/// Endpoints select these with `for: (any ResourceRequest).self`.
public protocol ResourceRequest: TypedRequest {
    /// The resource type.
    associatedtype Kind: Resource
}

/// A request that fetches one resource, with GET of its path.
public struct FetchResource<Kind: Resource>: ResourceRequest, Hashable {
    /// The resource at the service.
    public typealias Output = ResourceRecord<Kind>

    /// The values of the path's variables; the last identifies the resource.
    public let variables: URLParameters
    /// Whether caches must revalidate with the service.
    public var revalidates = false

    /// The item's path.
    public var path: String { Kind.path }
    /// The path's variables.
    public var pathParameters: URLParameters { variables }
    /// The accepted media type, and the field that makes caches revalidate if ``revalidates`` is set.
    public var headers: HTTPFields {
        revalidates ? [.accept: "application/json", .cacheControl: "no-cache"] : [.accept: "application/json"]
    }
    /// The record, with its validators.
    public var result: ResultKind<Output> {
        let identity = (try? ResourcePath(Kind.path)).flatMap { variables[$0.identity] }
        return .resource { bytes, response in
            var record = try ResourceRecord<Kind>(bytes, in: response)
            record.fetchedIdentity = identity
            return record
        }
    }
}

/// A request that lists resources: GET of the path without its last segment.
public struct ListResources<Kind: Resource>: ResourceRequest {
    /// The resources, without versions, because a list has no version for each item.
    public typealias Output = [ResourceRecord<Kind>]

    /// The values of the path's variables.
    public let variables: URLParameters
    /// The query of the list.
    public let query: URLQuery
    let collection: String

    /// The collection's path.
    public var path: String { collection }
    /// The path's variables.
    public var pathParameters: URLParameters { variables }
    /// The accepted media type.
    public var headers: HTTPFields { [.accept: "application/json"] }
    /// The records of the list.
    public var result: ResultKind<Output> {
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
public struct CreateResource<Kind: Resource>: ResourceRequest {
    /// The resource as the service created it, or as it was sent if the reply has no content.
    public typealias Output = ResourceRecord<Kind>

    /// The values of the path's variables.
    public let variables: URLParameters
    /// The record to create.
    public let record: ResourceRecord<Kind>
    let collection: String

    /// POST.
    public var method: HTTPRequest.Method { .post }
    /// The collection's path.
    public var path: String { collection }
    /// The path's variables.
    public var pathParameters: URLParameters { variables }
    /// The accepted media type, and the media type of the content.
    public var headers: HTTPFields { [.accept: "application/json", .contentType: "application/json"] }
    /// The record, with its validators.
    public var result: ResultKind<Output> {
        let target = Result { try record.target() }
        let place = (try? ResourcePath(Kind.path)).flatMap { ResourcePlace($0, target: collection, variables) }
        return .resource { bytes, response in
            let created = try ResourceRecord<Kind>(bytes, in: response, else: try target.get())
            return place?.locating(created, response) ?? created
        }
    }

    /// Sends the whole object.
    public func configure(_ request: inout Request) throws {
        request.body = HTTPBody(try record.target().bytes())
    }
}

/// A request that saves the changes to a resource unless someone else changed it.
public struct SaveResource<Kind: Resource>: ResourceRequest {
    /// The resource as saved by the service, or as it was sent if the reply has no content.
    public typealias Output = ResourceRecord<Kind>

    /// The values of the path's variables.
    public let variables: URLParameters
    /// The record to save.
    public let record: ResourceRecord<Kind>

    /// PATCH or PUT, according to the type's ``Resource/saving``.
    public var method: HTTPRequest.Method { Kind.saving == .put ? .put : .patch }
    /// The item's path.
    public var path: String { Kind.path }
    /// The path's variables.
    public var pathParameters: URLParameters { variables }
    /// The accepted media type and the preconditions of the change.
    public var headers: HTTPFields { record.conditions.merging([.accept: "application/json"]) }
    /// The record, with its validators; 412 throws ``LostUpdateError``.
    public var result: ResultKind<Output> {
        let target = Result { try record.target() }
        return ResultKind<Output>.resource { [identity = record.fetchedIdentity] bytes, response in
            var saved = try ResourceRecord<Kind>(bytes, in: response, else: try target.get())
            saved.fetchedIdentity = identity
            return saved
        }.noticingLostUpdates(of: record)
    }

    /// Sends the changes.
    public func configure(_ request: inout Request) throws {
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

/// A request that deletes a resource unless someone else changed it.
public struct DeleteResource<Kind: Resource>: ResourceRequest {
    /// No result.
    public typealias Output = Void

    /// The values of the path's variables.
    public let variables: URLParameters
    /// The record to delete.
    public let record: ResourceRecord<Kind>

    /// DELETE.
    public var method: HTTPRequest.Method { .delete }
    /// The item's path.
    public var path: String { Kind.path }
    /// The path's variables.
    public var pathParameters: URLParameters { variables }
    /// The precondition: the version to delete.
    public var headers: HTTPFields { record.conditions }
    /// No result; 412 throws ``LostUpdateError``.
    public var result: ResultKind<Void> {
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
