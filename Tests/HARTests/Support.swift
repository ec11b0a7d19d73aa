#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

/// The files beside the tests.
enum Fixtures {
    static func url(_ name: String) throws -> URL {
        let parts = name.split(separator: ".")
        return try #require(
            Bundle.module.url(
                forResource: String(parts[0]),
                withExtension: parts.count > 1 ? String(parts[1]) : nil,
                subdirectory: "Resources"
            )
        )
    }

    static func archive(_ program: String) throws -> HARArchive {
        try HARArchive(Data(contentsOf: url("\(program).har")))
    }
}

/// Programs in Python that make and read archives with software of others.
enum ForeignProgram {
    /// The output; nil, with a warning, when the software is not installed: in CI that is a failure.
    static func run(_ script: String, _ arguments: String...) async throws -> String? {
        let python = Programs.find("python3")
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-B", Fixtures.url("\(script).py").path] + arguments
        )
        if python == nil || outcome.status == 3 {
            Programs.notRun("\(script) \(arguments.first ?? ""): Python, or a package of its, is not installed")
            return nil
        }
        #expect(outcome.status == 0, "\(script) \(arguments): \(outcome.errorText.suffix(2000))")
        return outcome.status == 0 ? outcome.text : nil
    }
}

extension HAREntry {
    /// An entry with a text for an answer.
    static func sample(
        _ method: String = "GET",
        _ url: String = "https://a.example/",
        body: HARPostData? = nil,
        status: Int = 200,
        headers: [HARField] = [],
        text: String = "answer",
        started: Date = Date(timeIntervalSince1970: 1_700_000_000)
    ) -> HAREntry {
        let response = HARResponse(
            status: status,
            headers: headers,
            content: HARContent(mimeType: "text/plain", text: text)
        )
        return HAREntry(
            started: started,
            request: HARRequest(method: method, url: url, postData: body),
            response: response
        )
    }
}

extension Transport {
    /// Sends a request and reads all of the answer.
    func text(_ request: Request) async throws -> String { try await send(request).body.text() }
}

/// Hides the transport's own report of what was sent, and gives bodies in the chunks they are made of.
func chunks(_ texts: String...) -> HTTPBody {
    let chunks = texts.map { Data($0.utf8) }
    return .once(
        chunks: AsyncStream { stream in
            for chunk in chunks { stream.yield(chunk) }
            stream.finish()
        }
    )
}
#endif
