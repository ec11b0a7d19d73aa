import Foundation
package import HTTPChainCore
import HTTPChainSerializer
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

/// An operation on resources of this package: the content that it sends, and how its output is read.
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

/// The target of a request for resources.
package struct ResourceTarget: Sendable {
    var method = HTTPRequest.Method.get
    let path: String
    var query: URLQuery = [:]
    var headers: HTTPFields = [:]
}

extension ResourceOperation {
    /// The method of the operation.
    public var method: HTTPRequest.Method { target.method }
    /// The path of one resource; for lists and creation, the path without its last segment.
    public var path: String { target.path }
    /// The values of the path's variables; for one resource, the last variable identifies it.
    public var pathParameters: URLParameters { variables }
    /// The query of a list.
    public var query: URLQuery { target.query }
    /// The preconditions of a change.
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
        return .resource { json, response in
            var record = try ResourceRecord<Kind>(json, in: response)
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
        .resource { json, _ in
            guard let items = (Kind.listMember.map { json?[$0] } ?? json)?.array else {
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
        ResourceTarget(method: .post, path: collection)
    }

    package var reading: ResultKind<Output> {
        let target = Result { try record.target() }
        let place = (try? ResourcePath(Kind.path)).flatMap { ResourcePlace($0, target: collection, variables) }
        return .resource { json, response in
            let created = try ResourceRecord<Kind>(json, in: response, else: try target.get())
            return place?.locating(created, response) ?? created
        }
    }

    package func prepare(_ request: inout Request) throws {
        request.body = .value(try record.target())
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
            headers: record.conditions
        )
    }

    package var reading: ResultKind<Output> {
        let target = Result { try record.target() }
        return ResultKind<ResourceRecord<Kind>>.resource { [identity = record.fetchedIdentity] json, response in
            var saved = try ResourceRecord<Kind>(json, in: response, else: try target.get())
            saved.fetchedIdentity = identity
            return saved
        }.noticingLostUpdates(of: record)
    }

    package func prepare(_ request: inout Request) throws {
        let target = try record.target()
        let (type, json): (String, JSONValue)
        switch Kind.saving {
        case .mergePatch: (type, json) = ("application/merge-patch+json", record.stored.mergePatch(to: target))
        case .jsonPatch: (type, json) = ("application/json-patch+json", .array(record.stored.jsonPatch(to: target)))
        case .put:
            request.body = .value(target)
            return
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
        ResultKind<Void>.resource(readsContent: false) { _, _ in }.noticingLostUpdates(of: record)
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

    init(_ json: JSONValue?, in response: Response, else sent: JSONValue? = nil) throws {
        try self.init(
            stored: json ?? sent ?? .null,
            entityTag: response.headers[.eTag],
            lastModified: response.headers[.lastModified]
        )
    }
}

extension ResultKind {
    /// Reads the content of an accepted response, decoded by the chain's serializer, or from JSON if the chain has none.
    ///
    /// Without a serializer, an object in the request is also sent as JSON.
    ///
    /// - Parameters:
    ///   - readsContent: Whether the content is decoded even if the request doesn't specify how.
    ///   - read: A closure that makes the output from the content, which is `nil` if the response has none.
    static func resource(
        readsContent: Bool = true,
        _ read: @escaping @Sendable (_ json: JSONValue?, _ response: Response) throws -> Output
    ) -> ResultKind {
        let check = { @Sendable (response: Response) throws(ResourceError) in
            guard response.status.kind == .successful else { throw ResourceError(.status(response.status.code)) }
        }
        let decode = decodedWithResponse(JSONValue?.self) { json, response in
            try check(response)
            return try read(json, response)
        }.perform
        let parse = bytes { bytes, response in
            try check(response)
            guard readsContent, !bytes.isEmpty else { return try read(nil, response) }
            return try read(try JSONDecoder().decode(JSONValue.self, received: bytes), response)
        }.perform
        return ResultKind { request, transport, processing in
            let call = request.serialization
            let hasSerializer = !call.isOff && transport.optionsRead.contains { $0 == SerializationOption.self }
            guard call.describesDecoding || readsContent && hasSerializer else {
                let plain = try readsContent ? request.sendingJSON() : request
                return try await parse(plain, transport, processing)
            }
            do {
                return try await decode(request, transport, processing)
            } catch let error where error is DecodingFailure || error is SerializerError {
                // The content of an error response may have another type.
                let response = (error as? any HTTPChainError)?.exchange?.response
                guard let status = response?.status, status.kind != .successful else { throw error }
                throw ResourceError(.status(status.code))
            }
        }
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

extension Request {
    /// Returns the request with JSON as the accepted type, and with the bytes of an object in its body.
    fileprivate consuming func sendingJSON() throws -> Request {
        if headers[.accept] == nil { headers[.accept] = "application/json" }
        guard let object = body.value as? JSONValue else { return self }
        if headers[.contentType] == nil { headers[.contentType] = "application/json" }
        body = HTTPBody(try object.bytes())
        return self
    }
}
