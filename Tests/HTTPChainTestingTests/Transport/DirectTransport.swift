#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes

/// The least that conforms: checks the request and hands it to the peer.
struct DirectTransport: Transport {
    /// What is wrong with it; each defect is one that a real transport has had.
    enum Defect: CaseIterable {
        case sendsInvalidRequests
        case decodesThePath
        case cutsLongBodies
        case dropsRepeatedFields
        case splitsCookies
        case hidesUploadErrors
        case progressStopsShort
        case followsRedirects
        case keepsCookies
        case throwsOnErrorStatus
        case answersChallenges
        case buffersResponses
        case wrapsCancellation
        case ignoresCancellation
        case sendsWhenCancelled
        case losesRequestsUnderLoad
        case leaksFiles
        case shortensFields
        case changesMethods
    }

    let handler: TransportConformance.Handler
    var defect: Defect?
    let memory = Memory()
    var capabilities: TransportCapabilities = [.streamsUploads, .keepsRepeatedFields]

    init(_ handler: @escaping TransportConformance.Handler, defect: Defect? = nil) {
        self.handler = handler
        self.defect = defect
        if defect == .splitsCookies { capabilities.remove(.keepsRepeatedFields) }
        if defect == .progressStopsShort { capabilities.insert(.reportsUploadProgress) }
    }

    /// What a defect remembers from one request to the next.
    final class Memory: Sendable {
        let cookie = Locked<String?>(nil)
        let count = Locked(0)
        let files = Locked<[FileHandle]>([])
    }

    func send(_ request: consuming Request) async throws -> Response {
        if defect != .sendsWhenCancelled { try Task.checkCancellation() }
        var request = request
        let progress = request.beginUploadReport()
        if defect != .sendsInvalidRequests {
            let wire = try request.forWire()
            request = Request(head: wire.head, body: wire.body)
        }
        let length = request.body.length
        try await breakRequest(&request)
        do {
            var response = try await handler(request)
            try await breakResponse(&response, to: request)
            if let progress, let length { progress(max(0, length - 1), length) }
            return response
        } catch {
            switch defect {
            case .hidesUploadErrors: return Response(.ok)
            case .wrapsCancellation where error is CancellationError:
                throw TransportError(.other, sent: .maybe, stage: name, underlyingError: error)
            default: throw error
            }
        }
    }

    private func breakRequest(_ request: inout Request) async throws {
        switch defect {
        case .decodesThePath: request.head.path = request.head.path?.removingPercentEncoding
        case .cutsLongBodies where !request.body.isEmpty:
            request.body = HTTPBody(try await request.body.collect(upTo: .unlimited).prefix(65_536))
        case .shortensFields:
            for index in request.head.headerFields.indices {
                let field = request.head.headerFields[index]
                request.head.headerFields[index] = HTTPField(name: field.name, value: String(field.value.prefix(1024)))
            }
        case .changesMethods where request.head.method == .delete: request.head.method = .post
        case .keepsCookies:
            if request.head.headerFields[.cookie] == nil {
                request.head.headerFields[.cookie] = memory.cookie.withLock { $0 }
            }
        case .ignoresCancellation:
            let (handler, sent) = (handler, request)
            request.body = .empty
            // Nobody hands the cancellation on to this task.
            let response = try await Task { try await handler(sent) }.value
            request.head.path = response.status == .ok ? request.head.path : "/"
        case .losesRequestsUnderLoad:
            let count = memory.count.withLock { count in
                count += 1
                return count
            }
            if count == 777 { throw TransportError(.other, sent: .maybe, stage: name) }
        case .leaksFiles:
            let leaks = memory.count.withLock { count in
                count += 1
                return count.isMultiple(of: 4)
            }
            if leaks, let file = FileHandle(forReadingAtPath: "/dev/null") {
                memory.files.withLock { $0.append(file) }
            }
        default: break
        }
    }

    private func breakResponse(_ response: inout Response, to request: Request) async throws {
        switch defect {
        case .dropsRepeatedFields:
            var fields = HTTPFields()
            for field in response.headers { fields[field.name] = field.value }
            response.headers = fields
        case .splitsCookies:
            let pieces = response.headers[values: .setCookie].flatMap { $0.components(separatedBy: ", ") }
            response.headers[values: .setCookie] = pieces
        case .followsRedirects:
            if let location = response.headers[.location], let authority = request.head.authority {
                response = try await handler(.get("http://\(authority)\(location)"))
            }
        case .keepsCookies:
            if let cookie = response.headers[.setCookie] {
                memory.cookie.withLock { $0 = String(cookie.prefix { $0 != ";" }) }
            }
        case .throwsOnErrorStatus where response.status.code >= 400:
            throw TransportError(.other, sent: .answered, stage: name)
        case .answersChallenges where response.status == .unauthorized:
            response = try await handler(request)
        case .buffersResponses:
            response.body = HTTPBody(try await response.body.collect(upTo: .unlimited))
        default: break
        }
    }
}
#endif
