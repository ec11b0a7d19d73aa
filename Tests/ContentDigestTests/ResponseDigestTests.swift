#if AllTests
import Foundation
import HTTPChainContentDigest
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/items/123"

@Suite("Verifying responses", .timeLimit(.minutes(10)))
struct ResponseDigestTests {
    private static let right = "sha-256=:\(RFC9530.sha256):"
    private static let wrong = "sha-256=:\(RFC9530.titleSHA256):"

    private func response(
        _ headers: KeyValuePairs<String, String>,
        _ content: Data = RFC9530.content,
        status: HTTPResponse.Status = .ok,
        to request: Request = .get(url),
        by stage: ContentDigestMiddleware = ContentDigestMiddleware()
    ) async throws -> Response {
        let body = HTTPBody.pieces(content, of: 5, length: Int64(content.count))
        return try await StageHarness(stage)
            .send(request, answering: .status(status, headers: fields(headers), body: body)).response()
    }

    private func status(_ response: Response) -> DigestVerification { response.digestVerification }

    @Test(
        "The digests of RFC 9530 are right",
        arguments: [
            ("Content-Digest", "sha-256=:\(RFC9530.sha256):", [DigestField.contentDigest(.sha256)]),
            ("Content-Digest", "sha-512=:\(RFC9530.sha512):", [.contentDigest(.sha512)]),
            ("Repr-Digest", "sha-256=:\(RFC9530.sha256):", [.reprDigest(.sha256)]),
            (
                "Content-Digest", "sha-512=:\(RFC9530.sha512):,sha-256=:\(RFC9530.sha256):",
                [.contentDigest(.sha256), .contentDigest(.sha512)]
            ),
            // Parameters and algorithms that are not known are passed over; padding may be missing (RFC 9651 §4.2.7).
            (
                "Content-Digest", "md5=:AAAA:, sha-256=:\(RFC9530.sha256):;x=1, new=?1, sha=12",
                [.contentDigest(.sha256)]
            ),
            ("Content-Digest", "sha-256=:\(RFC9530.sha256.dropLast()):", [.contentDigest(.sha256)]),
            ("Content-MD5", "UFIauregE76D7gDe0/n0JA==", [.contentMD5]),
        ]
    )
    func right(_ name: String, _ value: String, _ expected: [DigestField]) async throws {
        let body = HTTPBody.pieces(RFC9530.content, of: 5, length: 19)
        let headers = try fields([name: value])
        let response = try await StageHarness(ContentDigestMiddleware())
            .send(.get(url), answering: .status(.ok, headers: headers, body: body)).response()
        #expect(status(response) == .verifiedWhileRead(expected))
        #expect(response.headers == headers)
        #expect(response.body.length == 19)
        #expect(try await response.body.collect() == RFC9530.content)
    }

    @Test(
        "A mismatch is an error at the end of the body",
        arguments: [
            "Content-Digest", "Repr-Digest",
        ]
    )
    func mismatch(_ name: String) async throws {
        let body = HTTPBody.pieces(RFC9530.content, of: 5)
        let response = try await StageHarness(ContentDigestMiddleware()).send(
            .get(url + "?token=secret"),
            answering: .status(.ok, headers: fields([name: Self.wrong]), body: body)
        ).response()
        var reader = try await response.body.makeReader()
        var content = Data()
        var failure: ContentDigestError?
        while failure == nil {
            do { content += try #require(try await reader.read()) } catch { failure = error as? ContentDigestError }
        }
        #expect(content == RFC9530.content)
        let field = name == "Repr-Digest" ? DigestField.reprDigest(.sha256) : .contentDigest(.sha256)
        #expect(
            failure?.problem
                == .mismatch(field: field, expected: RFC9530.titleSHA256, actual: RFC9530.sha256)
        )
        #expect(failure?.exchange?.url == url + "?token=<redacted>")
        #expect(failure?.exchange?.response?.status == .ok)
        await #expect(throws: ContentDigestError.self) { try await reader.read() }
    }

    @Test(
        "Every digest must be right",
        arguments: [
            "sha-256=:\(RFC9530.sha256):, sha-512=:\(RFC9530.sha512.replacing("YMAam", with: "AAAAA")):",
            "sha-512=:\(RFC9530.sha512):, sha-256=:\(RFC9530.titleSHA256):",
        ]
    )
    func every(_ value: String) async throws {
        let response = try await response(["Content-Digest": value])
        await #expect(throws: ContentDigestError.self) { try await response.body.collect() }
    }

    @Test("A changed, a shortened and a prolonged content do not pass")
    func damaged() async throws {
        for content in [RFC9530.content.dropLast(), RFC9530.content + Data([0]), Data(), RFC9530.title] {
            let response = try await response(["Content-Digest": Self.right], Data(content))
            await #expect(throws: ContentDigestError.self) { try await response.body.collect() }
        }
    }

    @Test(
        "A malformed field is ignored (RFC 9651 §4.2), and the options say so",
        arguments: [
            "sha-256", "sha-256=abc", "sha-256=:AAAA:", "sha-256=:&&&:", "SHA-256=:\(RFC9530.titleSHA256):", "=", ",,",
            "sha-256=(:\(RFC9530.titleSHA256):)", "sha-256=:\(RFC9530.titleSHA256)", "sha-256=\"x\"",
            "sha-256=@1659578233",
            "sha-256=%\"x\"", "sha-256=99999999999999999999",
            // More members than are parsed.
            String(repeating: "a, ", count: 2100) + "a",
        ]
    )
    func malformed(_ value: String) async throws {
        let response = try await response(["Content-Digest": value])
        #expect(status(response) == .notVerifiable(.malformedField))
        #expect(try await response.body.collect() == RFC9530.content)
    }

    @Test(
        "Content-MD5 that is not 16 bytes in base64 is ignored",
        arguments: ["", "abc", "kAFQmDzST7DWlj99KOF/cg", "AAAA"]
    )
    func malformedMD5(_ value: String) async throws {
        let response = try await response(["Content-MD5": value])
        #expect(status(response) == .notVerifiable(.malformedField))
        #expect(try await response.body.collect() == RFC9530.content)
    }

    @Test("Algorithms that are not known, or not safe, verify nothing")
    func unknown() async throws {
        for value in ["md5=:UFIauregE76D7gDe0/n0JA==:", "sha-1024=:AAAA:, unixsum=:AA==:"] {
            #expect(status(try await response(["Repr-Digest": value])) == .notVerifiable(.unknownAlgorithm))
        }
    }

    @Test("Without a digest there is nothing to say, and the body is not touched")
    func none() async throws {
        let answer = StageHarness.Answer.ok(HTTPBody(RFC9530.content))
        let response = try await StageHarness(ContentDigestMiddleware()).send(.get(url), answering: answer).response()
        #expect(status(response) == .noDigest)
        #expect(response.body.bytes == RFC9530.content)
    }

    @Test("A part of a representation is verified by Content-Digest alone")
    func part() async throws {
        let both = try await response(
            ["Content-Digest": "sha-256=:\(RFC9530.partSHA256):", "Repr-Digest": Self.right],
            RFC9530.part,
            status: .partialContent
        )
        #expect(status(both) == .verifiedWhileRead([.contentDigest(.sha256)]))
        #expect(try await both.body.collect() == RFC9530.part)
        for (name, value) in [("Repr-Digest", Self.right), ("Content-MD5", "UFIauregE76D7gDe0/n0JA==")] {
            let other = try await response([name: value], RFC9530.part, status: .partialContent)
            #expect(status(other) == .notVerifiable(.partialContent))
            #expect(try await other.body.collect() == RFC9530.part)
        }
    }

    @Test("What has no content is not verified", arguments: [204, 205, 304])
    func noContent(_ code: Int) async throws {
        let response = try await response(["Repr-Digest": Self.right], Data(), status: .init(code: code))
        #expect(status(response) == .notVerifiable(.noContent))
        #expect(try await response.body.collect().isEmpty)
        let head = try await self.response(["Repr-Digest": Self.right], Data(), to: .head(url))
        #expect(status(head) == .notVerifiable(.noContent))
    }

    @Test("What a transport has decoded cannot be verified, and the options say so")
    func decoded() async throws {
        var answer = Response(.ok, headers: try fields(["Content-Digest": Self.wrong]), body: HTTPBody(RFC9530.content))
        answer.headers[.contentEncoding] = "br"
        answer.removeContentFields()
        let response = try await StageHarness(ContentDigestMiddleware())
            .send(.get(url), answering: .response(answer)).response()
        #expect(status(response) == .notVerifiable(.contentDecoded))
        #expect(try await response.body.collect() == RFC9530.content)
        let required = await StageHarness(ContentDigestMiddleware(responses: .required))
            .send(.get(url), answering: .response(answer))
        #expect((required.error as? ContentDigestError)?.problem == .notVerifiable(.contentDecoded))
    }

    @Test(
        "What is required is required of success: a failure without a digest passes",
        arguments: [HTTPResponse.Status.notFound, .badGateway, .found]
    )
    func requiredOfSuccess(code: HTTPResponse.Status) async throws {
        let stage = ContentDigestMiddleware(responses: .required)
        let answer = try await response([:], status: code, by: stage)
        #expect(status(answer) == .noDigest)
        #expect(answer.status == code)
    }

    @Test("A digest may be required, by the stage or the call")
    func required() async throws {
        let stage = ContentDigestMiddleware(responses: .required)
        await #expect { _ = try await response([:], by: stage) } throws: { error in
            (error as? ContentDigestError)?.problem == .noDigest
        }
        await #expect(throws: ContentDigestError.self) {
            _ = try await response(["Content-Digest": "nonsense"], to: .get(url).digests(response: .required))
        }
        #expect(try await response(["Content-Digest": Self.right], by: stage).body.collect() == RFC9530.content)
        #expect(status(try await response([:], Data(), status: .noContent, by: stage)) == .noDigest)
        #expect(status(try await response([:], Data(), to: .head(url), by: stage)) == .noDigest)
        #expect(status(try await response([:], to: .get(url).digests(response: .whenPresent), by: stage)) == .noDigest)
    }

    @Test("A call and a stage may leave responses unverified")
    func off() async throws {
        for (request, stage) in [
            (Request.get(url).digests(response: .off), ContentDigestMiddleware()),
            (.get(url), ContentDigestMiddleware(responses: .off)),
        ] {
            let response = try await response(["Content-Digest": Self.wrong], to: request, by: stage)
            #expect(status(response) == .notChecked)
            #expect(try await response.body.collect() == RFC9530.content)
        }
    }

    @Test("A body that breaks is not taken for one that does not match")
    func broken() async throws {
        let lost = TransportError(.truncatedBody, sent: .answered, stage: "test")
        let body = HTTPBody.pieces(RFC9530.content, of: 5, failing: lost)
        let response = try await StageHarness(ContentDigestMiddleware()).send(
            .get(url),
            answering: .status(.ok, headers: fields(["Content-Digest": Self.right]), body: body)
        ).response()
        await #expect(throws: TransportError.self) { try await response.body.collect() }
    }

    @Test("Content passes for verified only under a field with its digest, whatever else the field says", .seeded)
    func random() async throws {
        let random = Seed.numbers()
        let alphabet = Array("sha-256=:;,\"()?@%*. AZaz09+/\\")
        func noise() -> String {
            String((0..<random.index(below: 20)).map { _ in alphabet[random.index(below: alphabet.count)] })
        }
        var counts = (verified: 0, mismatched: 0, without: 0)
        for _ in 0..<3000 {
            let parts = [
                noise(), Self.right, Self.wrong, "sha-256=:\(noise()):", "sha-256=:AAAA:", "sha-512=\(noise())",
            ]
            let value = (0...random.index(below: 2)).map { _ in parts[random.index(below: parts.count)] }
                .joined(separator: random.index(below: 4) == 0 ? noise() : ", ")
            let response = try await response(["Content-Digest": value])
            let status = status(response)
            let content: Result<Data, any Error>
            do {
                content = .success(try await response.body.collect())
            } catch {
                content = .failure(error)
            }
            switch (status, content) {
            case (.verifiedWhileRead(let fields), .success(let bytes)):
                #expect(fields == [.contentDigest(.sha256)] && bytes == RFC9530.content)
                #expect(value.contains(Self.right.dropLast()), "\(value)")
                counts.verified += 1
            case (.verifiedWhileRead, .failure(let error)):
                #expect(error is ContentDigestError, "\(error) with \(value)")
                counts.mismatched += 1
            case (.noDigest, .success(let bytes)), (.notVerifiable, .success(let bytes)):
                #expect(bytes == RFC9530.content)
                counts.without += 1
            default: Issue.record("\(status) and \(content) with \(value)")
            }
        }
        #expect(counts.verified > 100 && counts.mismatched > 100 && counts.without > 100, "\(counts)")
    }
}
#endif
