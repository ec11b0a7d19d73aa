#if AllTests && AsyncHTTPClient
import Foundation
import TestSupport

/// A certificate authority of the test's own, a server and a client with certificates of it, made by openssl.
struct TLSFixture: Sendable {
    let directory: ScratchDirectory
    private let openssl: URL

    /// Whether openssl is there.
    static var isAvailable: Bool { Programs.find("openssl") != nil }

    init() async throws {
        directory = try ScratchDirectory.created()
        openssl = try Programs.find("openssl").orThrow()
        let script = """
            set -e
            key() { openssl ecparam -name "$1" -genkey -noout -out "$2.key"; }
            key prime256v1 ca; key prime256v1 server; key secp384r1 client
            openssl req -x509 -key ca.key -out ca.pem -days 2 -subj "/CN=Test authority"
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\n' > server.ext
            for name in server client; do
                openssl req -new -key $name.key -out $name.csr -subj "/CN=$name"
                touch $name.ext
                openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \\
                    -extfile $name.ext -out $name.pem
            done
            openssl pkcs12 -export -inkey client.key -in client.pem -passout pass:hunter2 -out client.p12
            """
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", script],
            directory: directory.url
        )
        guard outcome.status == 0 else { throw Broken(outcome.errorText) }
    }

    var authority: String {
        get throws { String(decoding: try directory.content(of: "ca.pem"), as: UTF8.self) }
    }

    /// The pin of the public key in a certificate, as openssl computes it.
    func pin(of name: String) async throws -> String {
        let script = """
            openssl x509 -in \(name).pem -pubkey -noout | openssl pkey -pubin -outform der |
                openssl dgst -sha256 -binary | openssl base64
            """
        let outcome = try await runProgram(URL(fileURLWithPath: "/bin/sh"), ["-c", script], directory: directory.url)
        return "sha256/" + outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What openssl writes to its standard output.
    func run(_ arguments: String...) async throws -> Data {
        let outcome = try await runProgram(openssl, arguments, directory: directory.url)
        guard outcome.status == 0 else { throw Broken(outcome.errorText) }
        return outcome.standardOutput
    }

    /// Lets a server that answers each request with a page about its TLS run for as long as the body does.
    func withServer<Result>(_ options: [String] = [], _ body: (_ port: Int) async throws -> Result) async throws
        -> Result
    {
        let output = try directory.file("server-\(UUID().uuidString).out", Data())
        let process = Process()
        process.executableURL = openssl
        process.arguments =
            ["s_server", "-accept", "127.0.0.1:0", "-cert", "server.pem", "-key", "server.key", "-www"] + options
        process.currentDirectoryURL = directory.url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.terminate() }
        var port: Int?
        try await until("openssl s_server to listen") {
            guard process.isRunning else { throw Broken("openssl s_server ended") }
            let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            // "ACCEPT 127.0.0.1:45123", written when it listens.
            guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT") }) else { return false }
            port = line.split(separator: ":").last.flatMap { Int($0) }
            return port != nil
        }
        return try await body(try port.orThrow())
    }

    struct Broken: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

extension Optional {
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw TLSFixture.Broken("openssl is not there") }
        return self
    }
}
#endif
