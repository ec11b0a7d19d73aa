#if AllTests
import Crypto
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSigning
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// The examples of AWS's documentation: "Create a signed AWS API request" (IAM), the test suite of Signature Version 4
/// (`get-vanilla` and the like), and "Authenticating Requests" of the S3 API reference.
@Suite("AWS Signature Version 4", .timeLimit(.minutes(10)))
struct AWSSignerTests {
    private static let suite = AWSCredentials(
        accessKeyID: "AKIDEXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    )
    private static let s3 = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    /// 2015-08-30T12:36:00Z.
    private static let suiteDate = Date(timeIntervalSince1970: 1_440_938_160)
    /// 2013-05-24T00:00:00Z.
    private static let s3Date = Date(timeIntervalSince1970: 1_369_353_600)

    private let bucket = "https://examplebucket.s3.amazonaws.com"

    private func sent(_ request: Request, by signer: AWSSigner, at date: Date) async throws -> Request {
        let stage = SigningMiddleware(signer, for: .any)
        let outcome = await StageHarness(stage, clock: VirtualClock(start: date)).send(request, answering: .ok)
        _ = try outcome.response()
        return try #require(outcome.requests.first)
    }

    private func authorization(_ request: Request, service: String) async throws -> String? {
        let isS3 = service == "s3"
        let signer = AWSSigner(region: "us-east-1", service: service, credentials: isS3 ? Self.s3 : Self.suite)
        return try await sent(request, by: signer, at: isS3 ? Self.s3Date : Self.suiteDate).headers[.authorization]
    }

    @Test("The request of the IAM example has the signature that is printed there")
    func iam() async throws {
        let request = Request.get(
            "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
            headers: [.contentType: "application/x-www-form-urlencoded; charset=utf-8"]
        )
        #expect(
            try await authorization(request, service: "iam")
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                + "SignedHeaders=content-type;host;x-amz-date, "
                + "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        )
    }

    @Test(
        "The requests of the test suite have their signatures",
        arguments: [
            ("/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            ("/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
            (
                "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
            ),
            ("//", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            ("/foo/..", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            ("/./", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ]
    )
    func testSuite(target: String, signature: String) async throws {
        let value = try await authorization(.get("https://example.amazonaws.com" + target), service: "service")
        #expect(value?.hasSuffix("Signature=" + signature) == true)
    }

    @Test("A form that is sent has the signature of the test suite")
    func form() async throws {
        let request = Request.post(
            "https://example.amazonaws.com/",
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: "Param1=value1"
        )
        let value = try await authorization(request, service: "service")
        #expect(
            value?.hasSuffix("Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a") == true
        )
    }

    @Test("The objects of the S3 examples have their signatures: a range, a file with its content, what is in a bucket")
    func s3() async throws {
        var value = try await authorization(.get(bucket + "/test.txt", headers: [.range: "bytes=0-9"]), service: "s3")
        #expect(
            value?.hasSuffix("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41") == true
        )
        let storageClass = try #require(HTTPField.Name("x-amz-storage-class"))
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("text", Data("Welcome to Amazon S3.".utf8))
        let put = Request.put(
            bucket + "/test$file.text",
            headers: [.date: "Fri, 24 May 2013 00:00:00 GMT", storageClass: "REDUCED_REDUNDANCY"],
            body: .file(file)
        )
        value = try await authorization(put, service: "s3")
        #expect(
            value?.hasSuffix(
                "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, "
                    + "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ) == true
        )
        value = try await authorization(.get(bucket + "/?lifecycle"), service: "s3")
        #expect(
            value?.hasSuffix("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543") == true
        )
        value = try await authorization(.get(bucket + "/?max-keys=2&prefix=J"), service: "s3")
        #expect(
            value?.hasSuffix("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7") == true
        )
    }

    private let presigned =
        "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"

    @Test("The presigned URL of the S3 example is made, by itself and by the stage")
    func presign() async throws {
        var request = Request.get(bucket + "/test.txt")
        request.environment = .virtual(VirtualClock(start: Self.s3Date))
        let signer = AWSSigner(region: "us-east-1", service: "s3", credentials: Self.s3)
        #expect(try await signer.presignedURL(for: request, validFor: .seconds(86_400)).revealed == presigned)
        let inQuery = AWSSigner(
            region: "us-east-1",
            service: "s3",
            credentials: Self.s3,
            placement: .query(expiresAfter: .seconds(86_400))
        )
        let sent = try await sent(.get(bucket + "/test.txt"), by: inQuery, at: Self.s3Date)
        #expect(sent.url == presigned)
        #expect(!"\(ExchangeSnapshot(sent.head, redaction: sent.redaction))".contains("aeeed9bb"))
    }

    @Test("A presigned URL is sent to by the methods that are signed, and redacted as any other")
    func sendToLink() {
        let link = Secret(presigned)
        let requests: [Request] = [
            .get(link), Request(.head, link),
            .put(link, headers: [.contentType: "text/plain"], body: "oak"),
            Request(.delete, link),
            Request(.options, link),
        ]
        #expect(requests.map(\.head.method) == [.get, .head, .put, .delete, .options])
        #expect(requests.allSatisfy { $0.url == presigned && !"\($0)".contains("aeeed9bb") })
        #expect(requests[2].headers[.contentType] == "text/plain" && requests[2].body.bytes == Data("oak".utf8))
    }

    private func inQuery(_ service: String = "s3", expiresAfter lifetime: Duration = .seconds(60)) -> AWSSigner {
        let placement = AWSSigner.Placement.query(expiresAfter: lifetime)
        return AWSSigner(region: "us-east-1", service: service, credentials: Self.s3, placement: placement)
    }

    @Test("Content that a call wants signed is refused for S3 in the query, where no content is signed")
    func signedContentInQuery() async throws {
        let request = Request.put(bucket + "/a", body: "oak").signing(payload: .signed)
        let outcome = await StageHarness(SigningMiddleware(inQuery(), for: .any)).send(request, answering: .ok)
        let reason = "for S3, a signature in the query doesn't cover the content"
        let problem = SigningError.Problem.unsupportedSetting("signing(payload: .signed)", reason: reason)
        #expect(outcome.requests.isEmpty && (outcome.error as? SigningError)?.problem == problem)
        let error = await #expect(throws: SigningError.self) {
            try await inQuery().presignedURL(for: request, validFor: .seconds(60))
        }
        #expect(error?.problem == problem)
        #expect(try await sent(request, by: inQuery("service"), at: Self.s3Date).url.contains("X-Amz-Signature="))
        let payload = { (signer: AWSSigner) in signer.settings.first { $0.name == "payload" }?.value }
        #expect(payload(inQuery()) == "not signed" && payload(inQuery("service")) == "signed")
    }

    @Test("A lifetime that AWS doesn't accept is refused, by the chain and by the signer")
    func lifetimes() async throws {
        let request = Request.get(bucket + "/a")
        for lifetime in [.zero, .milliseconds(999), .seconds(-1), .seconds(604_801)] as [Duration] {
            let refused = "the lifetime of \(lifetime)"
            for action in [
                { _ = try await inQuery().presignedURL(for: request, validFor: lifetime) },
                { _ = try await sent(request, by: inQuery(expiresAfter: lifetime), at: Self.s3Date) },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: SigningError.self) { try await action() }
                #expect(error?.problem == .unsupportedSetting(refused, reason: "AWS accepts 1 second to 7 days"))
            }
            let error = #expect(throws: ChainOrderError.self) {
                try Chain(transport: InMemoryTransport()) {
                    SigningMiddleware(inQuery(expiresAfter: lifetime), for: "https://examplebucket.s3.amazonaws.com")
                }
            }
            #expect(error?.description.contains("AWS accepts 1 second to 7 days") == true)
        }
        for seconds in [1, 604_800] {
            let link = try await inQuery().presignedURL(for: request, validFor: .seconds(seconds))
            #expect(link.revealed.contains("&X-Amz-Expires=\(seconds)&"))
        }
    }

    private enum Variables: TargetOption {
        static var defaultValue: String? { nil }
        static func isHarmless(_ value: String?) -> Bool { value == nil }
        static func comparableText(of value: String?) -> String? { value }
    }

    @Test("A request with values for its URL, which a signer cannot read, gets no presigned URL")
    func unfinishedTarget() async throws {
        var request = Request.get(bucket + "/{key}")
        request.options[Variables.self] = "plan.pdf"
        let error = await #expect(throws: SigningError.self) {
            try await inQuery().presignedURL(for: request, validFor: .seconds(60))
        }
        #expect(error?.reason.contains("path or query arguments") == true)
    }

    @Test("A request with an option that a signer doesn't read gets no presigned URL")
    func unreadOptions() async throws {
        let put = Request.put(bucket + "/plan.pdf", body: "plan")
        let requests: [(Request, String?)] = [
            (put.signing(webhookID: "7"), ".signing(webhookID:)"), (put.signing(payload: .unsigned), nil),
            (put.signing(false), nil),
        ]
        for (request, setting) in requests {
            guard let setting else {
                _ = try await inQuery().presignedURL(for: request, validFor: .seconds(60))
                continue
            }
            let error = await #expect(throws: SigningError.self) {
                try await inQuery().presignedURL(for: request, validFor: .seconds(60))
            }
            let reason = "a presigned URL is made without the stages that read it"
            #expect(error?.problem == .unsupportedSetting(setting, reason: reason))
        }
    }

    @Test("The key is derived as in the documentation")
    func derivedKey() {
        let signature = AWSSignature(region: "us-east-1", service: "iam", date: Self.suiteDate)
        let key = signature.signingKey(Self.suite.secretAccessKey)
        #expect(
            key.withUnsafeBytes { AWSSignature.text(Array($0).hexadecimal) }
                == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
        )
    }

    @Test("Paths are encoded twice and normalized, but for S3")
    func paths() {
        #expect(AWSCanonicalRequest.path("/a%20b/../c//d/", .normalized) == "/c/d/")
        #expect(AWSCanonicalRequest.path("/a%20b", .normalized) == "/a%2520b")
        #expect(AWSCanonicalRequest.path("/a%20b/../c//d/", .exact) == "/a%20b/../c//d/")
        #expect(AWSCanonicalRequest.path("/a$b%7e", .exact) == "/a%24b~")
        #expect(AWSCanonicalRequest.path("", .exact) == "/" && AWSCanonicalRequest.path("", .normalized) == "/")
    }

    @Test("Parameters are sorted by their bytes, names before values, and encoded anew")
    func queries() {
        #expect(AWSCanonicalRequest.query("b=2&a=2&a=1&B=0&a") == "B=0&a=&a=1&a=2&b=2")
        #expect(AWSCanonicalRequest.query("k=a/b%7Ec&k-1=x&k=a%2fb") == "k=a%2Fb&k=a%2Fb~c&k-1=x")
    }

    @Test(
        "The URL that is sent is encoded as it is signed, so that no server reads it in another way",
        arguments: [
            ("service", "/p+q?a=b+c", "/p+q?a=b%2Bc"), ("service", "/?a=b%20c&B=1", "/?a=b%20c&B=1"),
            ("service", "/?acl&a+b=", "/?acl&a%2Bb="), ("service", "/?k=a/b~%7e:@!$'()*,;", nil),
            ("service", "/?z=1&&a=2=3&", "/?z=1&a=2%3D3"), ("service", "/?a=%zz%2b%c3%a4", "/?a=%25zz%2B%C3%A4"),
            ("service", "/?", "/?"), ("service", "/a%2Fb//../c", "/a%2Fb//../c"),
            ("s3", "/p+q/%7Er?a=b+c", "/p%2Bq/~r?a=b%2Bc"), ("s3", "/a%2Fb//c(1)*", "/a%2Fb//c%281%29%2A"),
            ("s3", "/a%20b", "/a%20b"), ("s3", "/?versionId=x+y", "/?versionId=x%2By"),
        ] as [(String, String, String?)]
    )
    func sentURL(service: String, target: String, expected: String?) async throws {
        let expected = expected ?? "/?k=a%2Fb~~%3A%40%21%24%27%28%29%2A%2C%3B"
        let host = "https://example.amazonaws.com"
        let credentials = service == "s3" ? Self.s3 : Self.suite
        let signer = AWSSigner(region: "us-east-1", service: service, credentials: credentials)
        let sent = try await sent(.get(host + target), by: signer, at: Self.suiteDate)
        #expect(sent.url == host + expected)
        // As it is sent it has the signature that it has as it was given.
        let again = try await self.sent(.get(host + expected), by: signer, at: Self.suiteDate)
        #expect(again.headers[.authorization] == sent.headers[.authorization] && again.url == sent.url)
        var request = Request.get(host + target)
        request.environment = .virtual(VirtualClock(start: Self.suiteDate))
        let link = try await signer.presignedURL(for: request, validFor: .seconds(60)).revealed
        #expect(link.hasPrefix(host + expected))
    }

    @Test("A session's token is sent and signed, and content may be left out")
    func sessionToken() async throws {
        var credentials = Self.s3
        credentials.sessionToken = "the-token"
        let signer = AWSSigner(region: "us-east-1", service: "s3", credentials: credentials)
        let body = HTTPBody.chunks(["content"])
        let refused = await StageHarness(SigningMiddleware(signer, for: .any))
            .send(.put(bucket + "/a", body: body), answering: .ok)
        #expect((refused.error as? SigningError)?.problem == .bodyReadableOnce)
        let request = Request.put(bucket + "/a", body: .chunks(["content"])).signing(payload: .unsigned)
        let sent = try await sent(request, by: signer, at: Self.s3Date)
        #expect(sent.headers[try #require(HTTPField.Name("x-amz-content-sha256"))] == "UNSIGNED-PAYLOAD")
        #expect(sent.headers[try #require(HTTPField.Name("x-amz-security-token"))] == "the-token")
        #expect(
            sent.headers[.authorization]?.contains("host;x-amz-content-sha256;x-amz-date;x-amz-security-token") == true
        )
        #expect(!"\(credentials)".contains("the-token") && !"\(credentials)".contains("wJalr"))
    }

    @Test("Fields that intermediaries change are not covered")
    func changedFields() async throws {
        let request = Request.get(
            "https://example.amazonaws.com/",
            headers: [.userAgent: "a", .acceptEncoding: "gzip", .authorization: "Bearer x"]
        )
        let value = try await authorization(request, service: "service")
        #expect(value?.contains("SignedHeaders=host;x-amz-date,") == true)
    }

    @Test("Credentials are asked for once, again shortly before they expire, and used to their end when that fails")
    func refresh() async throws {
        struct Unreachable: Error {}
        let clock = VirtualClock(start: Self.suiteDate)
        let calls = Counter()
        let provider = ClosureAWSCredentialProvider.asking {
            let call = calls.add()
            guard call != 2, call != 4 else { throw Unreachable() }
            var credentials = Self.suite
            credentials.expiration = clock.date.addingTimeInterval(3600)
            return credentials
        }
        let signer = AWSSigner(region: "us-east-1", service: "iam", credentials: provider)
        let harness = StageHarness(SigningMiddleware(signer, for: .any), clock: clock)
        func send() async -> StageHarness.Outcome {
            await harness.send(.get("https://iam.amazonaws.com/"), answering: .ok)
        }
        _ = try await send().response()
        _ = try await send().response()
        #expect(calls.value == 1)
        clock.advance(by: .seconds(3550))
        _ = try await send().response()
        #expect(calls.value == 2)
        _ = try await send().response()
        #expect(calls.value == 3)
        clock.advance(by: .seconds(4000))
        let failed = await send()
        #expect((failed.error as? SigningError)?.problem == .noCredentials)
        #expect((failed.error as? SigningError)?.underlyingError is Unreachable)
    }

    @Test("Forgotten credentials are asked for again, and a request in flight doesn't put them back")
    func forget() async throws {
        let clock = VirtualClock(start: Self.suiteDate)
        let calls = Counter()
        let gate = Rendezvous()
        let provider = ClosureAWSCredentialProvider.asking {
            let call = calls.add()
            try await gate.wait()
            return AWSCredentials(accessKeyID: "AKID\(call)", secretAccessKey: "key")
        }
        let signer = AWSSigner(region: "us-east-1", service: "iam", credentials: provider)
        @Sendable func key() async throws -> Int? {
            let harness = StageHarness(SigningMiddleware(signer, for: .any), clock: clock)
            let outcome = await harness.send(.get("https://iam.amazonaws.com/"), answering: .ok)
            let value = try #require(outcome.requests.first?.headers[.authorization])
            return (1...9).first { value.contains("Credential=AKID\($0)/") }
        }
        let first = Task { try await key() }
        try await calls.wait(until: 1)
        signer.forgetCredentials()
        let second = Task { try await key() }
        gate.reach()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        #expect(try await key() == 2)
        signer.forgetCredentials()
        #expect(try await key() == 3)
        #expect(calls.value == 3)
    }

    @Test("Credentials that have expired are refused")
    func expired() async {
        var credentials = Self.suite
        credentials.expiration = Self.suiteDate
        let signer = AWSSigner(region: "us-east-1", service: "iam", credentials: credentials)
        let outcome = await StageHarness(
            SigningMiddleware(signer, for: .any),
            clock: VirtualClock(start: Self.suiteDate)
        )
        .send(.get("https://iam.amazonaws.com/"), answering: .ok)
        #expect((outcome.error as? SigningError)?.problem == .credentialsExpired(Self.suiteDate))
    }

    @Test("A target without origin cannot be signed")
    func relative() async throws {
        let signer = AWSSigner(region: "us-east-1", service: "s3", credentials: Self.s3)
        await #expect(throws: SigningError.self) {
            try await signer.presignedURL(for: .get("/a"), validFor: .seconds(1))
        }
    }
}
#endif
