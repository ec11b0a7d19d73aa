import Foundation
import HTTPChain

/// Gets a URL and writes the content to a file, which is there when it is whole, or as it was before.
func download(_ url: String, to file: URL) async throws {
    let chain = try Chain(transport: URLSessionTransport()) {
        ProgressMiddleware()
        StatusValidationMiddleware()
        HeadersMiddleware([.userAgent: "Download"])
    }
    let bar = TerminalProgressWriter(TerminalProgressBar(label: file.lastPathComponent))
    let request = Request.get(url).onProgress { bar.show($0) }
    let size = try await chain.send(request).body.save(to: file)
    print("\(ByteCount(size).abbreviated) in \(file.path)")
}
