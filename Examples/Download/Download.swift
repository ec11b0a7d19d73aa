import Foundation
import HTTPChain

/// Downloads a URL to a file, which changes only when the download is complete.
func download(_ url: String, to file: URL) async throws {
    let chain = try Chain(transport: URLSessionTransport()) {
        ProgressMiddleware()
        StatusValidationMiddleware()
        HeadersMiddleware([.userAgent: "Download"])
    }
    let bar = TerminalProgressWriter(label: file.lastPathComponent)
    let request = Request.get(url).progress { bar.show($0) }
    let size = try await chain.send(request).body.save(to: file)
    print("\(ByteCount(size).abbreviated) in \(file.path)")
}
